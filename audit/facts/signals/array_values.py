"""All values of a dataset's arrays, looked at in programs that can be killed."""

from __future__ import annotations

from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.array_scan import Question
from audit.facts.signals.examined import Look, examine
from audit.records.array_values import FileValues, Scanned, ScannedFile
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle

PROGRAM = "array_scan"


class ArrayScan(Request[Scanned]):
    """What the arrays of `dataset` in the project at `root` came to: those that `keys` name, by pattern; none: all.

    Their range is always measured, mean and deviation where `moments` says so; for each of `channels` channels along
    `axis`, which is found in pictures; and `items` along the first index are compared. Raises what `DatasetFiles`
    does, and `MissingExtra`.
    """

    root: str
    dataset: Dataset
    keys: tuple[str, ...] = ()
    moments: bool = False
    axis: int | None = None
    channels: int = 0
    items: bool = False

    def collect(self, ctx: Context) -> Scanned:
        """Look at every file, in the order of their paths."""
        if find_spec("numpy") is None:
            raise MissingExtra("array", "numpy, which looks at arrays,")
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        looked = examine(ctx, found.files, Look(PROGRAM, self._question(), FileValues))
        said = list(zip((file.path for file in found.files), looked, strict=True))
        unseen = (Obstacle(path, one.problem) for path, one in said if one.value is None)
        seen = (ScannedFile(path=path, values=one.value) for path, one in said if one.value is not None)
        return Scanned(path=self.dataset.path, files=tuple(seen), unseen=(*found.obstacles, *unseen))

    def _question(self) -> Question:
        return Question(keys=self.keys, moments=self.moments, axis=self.axis, channels=self.channels, items=self.items)
