"""The content of a dataset's files of arrays, unpacked in programs that can be killed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from math import prod

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.processes.array_chunk import Question
from audit.facts.processes.each import Looked, Paths
from audit.facts.signals.array_headers import ArrayHeaders
from audit.facts.signals.examined import Look, examine
from audit.facts.signals.zarr_stores import Store, stores
from audit.formats.arrays.zarr import ZarrArray
from audit.records.array_content import Contents, Unpacked, UnpackedFile
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault

PROGRAM, CHUNKS = "array_content", "array_chunk"

PACKED = frozenset({"NPZ", "TORCH", "HDF5", "PARQUET", "ARROW", "TFRECORD"})
"""Formats that pack their values, or keep checksums of them; the others are as large as their headers say, or not."""

_SHOWN = 20


class ArrayContent(Request[Unpacked]):
    """What unpacking the files of arrays of `dataset` in the project at `root` says.

    Raises what `ArrayHeaders` does.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Unpacked:
        """Unpack every file that is packed, in the order of their paths; then the chunks of Zarr."""
        headers = ctx.get(ArrayHeaders(root=self.root, dataset=self.dataset))
        packed = {one.path for one in headers.files if one.header.format in PACKED}
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        folders, files = stores(ctx, self.root, self.dataset.path, found.files)
        some = [file for file in files if file.path in packed]
        looked = examine(ctx, some, Look(PROGRAM, Paths(), Contents)) if some else []
        told = [
            UnpackedFile(path=file.path, contents=one.value)
            for file, one in zip(some, looked, strict=True)
            if one.value
        ]
        unseen = [Obstacle(file.path, one.problem) for file, one in zip(some, looked, strict=True) if one.value is None]
        for folder in folders:
            unpacked, blind = _store(ctx, folder)
            told.append(unpacked)
            unseen += blind
        return Unpacked(files=tuple(told), unseen=tuple(unseen))


def _store(ctx: Context, store: Store) -> tuple[UnpackedFile, list[Obstacle]]:
    """All chunks of a store: those packed alike by one program."""
    alike: dict[tuple[int, bytes], list[File]] = defaultdict(list)
    faults: list[Fault] = []
    for array, chunks in store.arrays:
        faults += _lacking(array, len(chunks))
        if array.strange:
            key = array.tensor.key[:200]
            what = f"packs {key!r} by {array.strange[:40]!r}, which is not unpacked here"
            faults.append(Fault(kind="unsupported", what=what))
        else:
            alike[array.version, array.chunk] += chunks.values()
    if any(alike.values()) and find_spec("zarr") is None:
        raise MissingExtra("array", "zarr, which decodes chunks,")
    looked: list[tuple[File, Looked[Contents]]] = []
    for (version, meta), files in alike.items():
        look = Look(CHUNKS, Question(meta=meta.decode(), version=version), Contents)
        looked += zip(files, examine(ctx, files, look), strict=True)
    looked.sort(key=lambda one: one[0].path)
    faults += _few(list(_broken(store, looked)))
    contents = Contents(
        faults=tuple(faults),
        parts=sum(one.value.parts for _, one in looked if one.value),
        size=sum(one.value.size for _, one in looked if one.value),
    )
    unseen = [Obstacle(file.path, one.problem) for file, one in looked if one.value is None]
    return UnpackedFile(path=store.path, contents=contents), unseen


def _lacking(array: ZarrArray, there: int) -> Iterator[Fault]:
    """Chunks that are not there read as the fill value: so a writer saves space, and so a copy loses values."""
    expected = prod(array.grid)
    if there < expected:
        key = f" of {array.tensor.key[:200]!r}" if array.tensor.key else ""
        what = f"lacks {expected - there:,} of {expected:,} chunks{key}, which then read as its fill value"
        yield Fault(kind="absent", what=what, expected=expected, found=there)


def _broken(store: Store, looked: Sequence[tuple[File, Looked[Contents]]]) -> Iterator[Fault]:
    for file, one in looked:
        for fault in one.value.faults if one.value else ():
            name = file.path.removeprefix(f"{store.path}/")
            yield Fault(kind=fault.kind, what=f"has a chunk {name[:200]!r} that {fault.what}")


def _few(faults: list[Fault]) -> list[Fault]:
    if len(faults) <= _SHOWN:
        return faults
    return [*faults[:_SHOWN], Fault(kind=faults[-1].kind, what=f"has {len(faults) - _SHOWN:,} more such chunks")]
