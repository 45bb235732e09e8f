"""What became of the content of a file of arrays when all of it was unpacked."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault


class Contents(Record, gc=False):
    """Members, chunks or pages that were unpacked and held against their checksums: `parts`, of `size` bytes in all."""

    faults: tuple[Fault, ...] = ()
    parts: int = 0
    size: int = 0


class UnpackedFile(Record):
    """A file of a dataset (of Zarr: a folder), unpacked. `path` is relative to the project."""

    path: str
    contents: Contents


class Unpacked(Record):
    """The files of a dataset that pack their values, in the order of their paths, and what could not be unpacked."""

    files: tuple[UnpackedFile, ...]
    unseen: tuple[Obstacle, ...] = ()
