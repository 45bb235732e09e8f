"""The headers of a dataset's files of arrays: a few bytes of each file are read, nothing is unpickled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from audit.errors import Cancelled, CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.formats.arrays.header import header
from audit.records.array import ArrayFile, Arrays
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.door import Door
from audit.records.obstacle import Obstacle

HEAD = 4096
"""Bytes that are read of each file; most headers end before."""

BATCH = 100


class ArrayHeaders(Request[Arrays]):
    """The files of arrays of `dataset` in the project at `root`. Raises what `DatasetFiles` does."""

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Arrays:
        """Read the header of every file, in the order of their paths."""
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        ctx.progress.expect(files=len(found.files), size=sum(min(HEAD, file.stamp.size) for file in found.files))
        seen = [one for start in range(0, len(found.files), BATCH) for one in _batch(ctx, found.files, start)]
        unseen = (one for one in seen if isinstance(one, Obstacle))
        files = tuple(one for one in seen if isinstance(one, ArrayFile))
        return Arrays(files=files, unseen=(*found.obstacles, *unseen))


def _batch(ctx: Context, files: Sequence[File], start: int) -> list[ArrayFile | Obstacle]:
    """Some files, and a word on how far it is."""
    if ctx.cancelled():
        raise Cancelled("interrupted while headers were read")
    part = files[start : start + BATCH]
    read = [_file(ctx.host, file) for file in part]
    sizes = [min(HEAD, one.size) for one in read if isinstance(one, ArrayFile)]
    ctx.progress.advance(files=len(sizes), size=sum(sizes), what=part[-1].path)
    ctx.progress.unread(files=len(part) - len(sizes))
    return read


def _file(host: Door, file: File) -> ArrayFile | Obstacle:
    try:
        head, size = host.peek(file.location, HEAD)
        said = header(file.path, head, size, partial(_piece, host, file.location))
    except CannotLook as error:
        return Obstacle(file.path, error.what, error.hint)
    return ArrayFile(path=file.path, location=file.location, size=size, header=said)


def _piece(host: Door, location: str, offset: int, size: int) -> bytes:
    return host.peek(location, size, offset).data
