"""All values of a dataset's arrays, looked at in programs that can be killed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.processes.array_scan import Question
from audit.facts.signals.array_headers import ArrayHeaders
from audit.facts.signals.examined import Look, examine
from audit.facts.signals.zarr_stores import stores
from audit.facts.signals.zarr_values import Wanted, scanned_store
from audit.records.array import ArrayFile
from audit.records.array_values import FileValues, Scanned, ScannedFile
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle

PROGRAM = "array_scan"


class ArrayScan(Request[Scanned]):
    """What the arrays of `dataset` in the project at `root` came to: those that `keys` name, by pattern; none: all.

    Their range is always measured, mean and deviation where `moments` says so; for each of `channels` channels along
    `axis`, which is found in pictures; and `items` along the first index are compared. Of a file whose header has
    faults, nothing else is said. Raises what `ArrayHeaders` does, and `MissingExtra`.
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
        headers = ctx.get(ArrayHeaders(root=self.root, dataset=self.dataset))
        whole = {one.path for one in headers.files if not one.header.faults}
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        folders, files = stores(ctx, self.root, self.dataset.path, found.files)
        seen, unseen = self._files(ctx, [file for file in files if file.path in whole])
        seen += self._faulty(headers.files)
        ask = Wanted(self.keys, moments=self.moments, channels=self.channels > 0, items=self.items)
        seen += [scanned_store(ctx, one, ask) for one in folders if one.path in whole]
        ordered = sorted(seen, key=lambda one: one.path.encode("utf-8", "surrogateescape"))
        return Scanned(path=self.dataset.path, files=tuple(ordered), unseen=(*headers.unseen, *unseen))

    def _files(self, ctx: Context, files: Sequence[File]) -> tuple[list[ScannedFile], list[Obstacle]]:
        asked = Question(keys=self.keys, moments=self.moments, axis=self.axis, channels=self.channels, items=self.items)
        looked = examine(ctx, files, Look(PROGRAM, asked, FileValues)) if files else []
        said = list(zip((file.path for file in files), looked, strict=True))
        unseen = [Obstacle(path, one.problem) for path, one in said if one.value is None]
        return [ScannedFile(path=path, values=one.value) for path, one in said if one.value is not None], unseen

    def _faulty(self, files: Sequence[ArrayFile]) -> list[ScannedFile]:
        return [
            ScannedFile(path=one.path, values=FileValues(format=one.header.format, faults=one.header.faults))
            for one in files
            if one.header.faults
        ]
