"""The pictures of a dataset, each decoded whole in a program that can be killed."""

from __future__ import annotations

from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.image_decode import Question
from audit.facts.signals.examined import Look, examine
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.decoded import Decoded, DecodedPicture, DecodedPictures
from audit.records.obstacle import Obstacle

PROGRAM = "image_decode"


class ImageDecode(Request[DecodedPictures]):
    """The pictures of `dataset` in the project at `root`, decoded if they have at most `max_pixels` pixels.

    `measured`: what is decoded is measured too (`Measures`), which costs a third more.
    Raises what `DatasetFiles` does, and `MissingExtra`.
    """

    root: str
    dataset: Dataset
    max_pixels: int
    measured: bool = False

    def collect(self, ctx: Context) -> DecodedPictures:
        """Decode every file, in the order of their paths."""
        if find_spec("PIL") is None:
            raise MissingExtra("image", "Pillow, which decodes pictures,")
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        looked = examine(ctx, found.files, self._look())
        said = list(zip((file.path for file in found.files), looked, strict=True))
        unseen = (Obstacle(path, one.problem) for path, one in said if one.value is None)
        seen = (DecodedPicture(path=path, decoded=one.value) for path, one in said if one.value is not None)
        return DecodedPictures(pictures=tuple(seen), unseen=(*found.obstacles, *unseen))

    def _look(self) -> Look:
        return Look(PROGRAM, Question(most_pixels=self.max_pixels, measured=self.measured), Decoded)
