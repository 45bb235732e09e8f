"""The headers of a dataset's files of arrays: a few bytes of each file are read, nothing is unpickled.

Headers that only a library can read are read in programs that can be killed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from msgspec.structs import replace

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.processes.each import Paths
from audit.facts.signals.examined import Look, examine
from audit.facts.signals.heads import heads
from audit.facts.signals.zarr_stores import stores
from audit.formats.arrays.header import header, library, misnamed
from audit.formats.pieces import Read
from audit.records.array import ArrayFile, ArrayHeader, Arrays
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault

BATCH = 10
"""Few at once: an archive has a header for each array."""

PROGRAM = "array_header"

EXTRAS = {
    "h5py": ("array", "h5py, which reads HDF5,"),
    "pyarrow": ("data", "pyarrow, which reads Parquet and Arrow,"),
    "google_crc32c": ("array", "google-crc32c, which verifies records of TensorFlow,"),
}
"""By library: the extra that brings it, and what to say where it is not installed."""


class _Library(NamedTuple):
    """A file whose header only a library reads, and what is wrong with its name."""

    file: File
    size: int
    library: str
    faults: tuple[Fault, ...]


class ArrayHeaders(Request[Arrays]):
    """The files of arrays of `dataset` in the project at `root`; of Zarr, the folders.

    Raises what `DatasetFiles` does, and `MissingExtra`.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Arrays:
        """Read the header of every file, in the order of their paths."""
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        folders, files = stores(ctx, self.root, self.dataset.path, found.files)
        seen = _by_libraries(ctx, heads(ctx, files, _file, BATCH))
        some = [one for one in seen if isinstance(one, ArrayFile)] + [store.file() for store in folders]
        unseen = [one for one in seen if isinstance(one, Obstacle)]
        unseen += [one for store in folders for one in store.unseen if one not in found.obstacles]
        ordered = sorted(some, key=lambda one: one.path.encode("utf-8", "surrogateescape"))
        return Arrays(files=tuple(ordered), unseen=(*found.obstacles, *unseen))


def installed(names: Mapping[str, object]) -> None:
    """Raises `MissingExtra` for the first of these libraries that is not installed."""
    for name, (extra, what) in EXTRAS.items():
        if name in names and find_spec(name) is None:
            raise MissingExtra(extra, what)


def _file(file: File, head: bytes, size: int, read: Read) -> ArrayFile | _Library:
    needed = library(head)
    if needed:
        return _Library(file, size, needed, misnamed(file.path, head))
    return ArrayFile(path=file.path, location=file.location, size=size, header=header(file.path, head, size, read))


def _by_libraries(
    ctx: Context, seen: Sequence[ArrayFile | Obstacle | _Library]
) -> list[ArrayFile | Obstacle | _Library]:
    """The same, what libraries read read by them."""
    waiting = [one for one in seen if isinstance(one, _Library)]
    installed({one.library: None for one in waiting})
    found = examine(ctx, [one.file for one in waiting], Look(PROGRAM, Paths(), ArrayHeader)) if waiting else []
    read = {one.file.path: _read(one, said.value, said.problem) for one, said in zip(waiting, found, strict=True)}
    return [read[one.file.path] if isinstance(one, _Library) else one for one in seen]


def _read(one: _Library, said: ArrayHeader | None, problem: str) -> ArrayFile | Obstacle:
    if said is None:
        return Obstacle(one.file.path, problem)
    told = replace(said, faults=(*one.faults, *said.faults))
    return ArrayFile(path=one.file.path, location=one.file.location, size=one.size, header=told)
