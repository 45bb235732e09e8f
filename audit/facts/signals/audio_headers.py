"""The headers of a dataset's clips: a few bytes of each file are read, nothing is decoded."""

from __future__ import annotations

from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.signals.heads import heads
from audit.formats.audio.header import header
from audit.formats.pieces import Read
from audit.records.audio import Clip, Clips
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle


class AudioHeaders(Request[Clips]):
    """The clips of `dataset` in the project at `root`. Raises what `DatasetFiles` does."""

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Clips:
        """Read the head of every file, in the order of their paths."""
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        seen = heads(ctx, found.files, _clip)
        unseen = (one for one in seen if isinstance(one, Obstacle))
        return Clips(clips=tuple(one for one in seen if isinstance(one, Clip)), unseen=(*found.obstacles, *unseen))


def _clip(file: File, head: bytes, size: int, read: Read) -> Clip:
    return Clip(path=file.path, location=file.location, size=size, header=header(head, size, read))
