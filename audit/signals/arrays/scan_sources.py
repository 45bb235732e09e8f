"""Where the bytes of an array come from: a file as it lies, a member of an archive, a dataset of HDF5, a column."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from audit.errors import FormatError
from audit.records.array import ArrayHeader, Tensor
from audit.signals.arrays.scan import Values

PART = 1 << 20
"""Bytes that a stream gives at a time, where it is up to us."""

SLICE = 1 << 26
"""Bytes of the slice of a chunked array that is decompressed at a time."""

ROWS = 1 << 14
"""Rows of a column that are decoded at a time."""

_SKIP = 1 << 20


def values(file: io.FileIO, header: ArrayHeader, tensor: Tensor) -> Values | None:
    """The bytes of a tensor of an open file; None where there is no way to have them."""
    if tensor.offset is not None:
        return Values(_lying(file.fileno(), tensor.offset), anywhere=True)
    if header.format == "NPZ":
        return Values(Stream(lambda: _member(file, tensor)).fill, anywhere=False)
    if header.format == "HDF5":
        return Values(Stream(lambda: _dataset(file, tensor)).fill, anywhere=False)
    if header.format in {"PARQUET", "ARROW"}:
        return Values(Stream(lambda: _column(file, header.format, tensor)).fill, anywhere=False)
    return None


def _lying(descriptor: int, start: int) -> Callable[[Any, int], None]:
    """Fills from the file; several threads may at once (pread(2) moves nothing)."""

    def fill(buffer: Any, offset: int) -> None:
        view = memoryview(buffer)
        while view:
            got = os.preadv(descriptor, [view], start + offset)
            if not got:
                raise FormatError(f"ends after {start + offset:,} bytes, before its array does")
            view, offset = view[got:], offset + got

    return fill


class Stream:
    """Bytes that come only one after the other; to go back is to begin anew."""

    def __init__(self, begin: Callable[[], Iterator[memoryview]]) -> None:
        self._begin = begin
        self._parts, self._part, self._at = begin(), memoryview(b""), 0

    def fill(self, buffer: Any, offset: int) -> None:
        """The bytes from `offset` on. Raises `FormatError` where there are fewer."""
        if offset < self._at:
            self._parts, self._part, self._at = self._begin(), memoryview(b""), 0
        while self._at < offset:
            self._at += len(self._take(offset - self._at))
        view = memoryview(buffer)
        while view:
            part = self._take(len(view))
            view[: len(part)] = part
            view, self._at = view[len(part) :], self._at + len(part)

    def _take(self, most: int) -> memoryview:
        if not self._part:
            self._part = next(self._parts, memoryview(b""))
            if not self._part:
                raise FormatError("ends before its array does")
        taken, self._part = self._part[:most], self._part[most:]
        return taken


def _member(file: io.FileIO, tensor: Tensor) -> Iterator[memoryview]:
    """A member `KEY.npy` of a zip archive behind its header, which is all that it has beside the numbers."""
    from zipfile import ZipFile

    with open(file.fileno(), "rb", closefd=False) as raw, ZipFile(raw) as archive:
        names = archive.NameToInfo
        member = names.get(f"{tensor.key}.npy") or names[tensor.key]
        with archive.open(member) as stream:
            left = member.file_size - _nbytes(tensor)
            while left > 0 and (some := stream.read(min(left, _SKIP))):
                left -= len(some)
            while part := stream.read(PART):
                yield memoryview(part)


def _nbytes(tensor: Tensor) -> int:
    from audit.signals.arrays.scan_forms import form

    how = form(tensor.dtype, tensor.order)
    return prod(tensor.shape) * how.size * how.parts if how else 0


def _column(file: io.FileIO, kind: str, tensor: Tensor) -> Iterator[memoryview]:
    """The numbers of a column, row after row."""
    for batch in _batches(file, kind, tensor.key):
        if batch.schema.names != [tensor.key]:
            raise FormatError(f"has a column {tensor.key[:200]!r} that cannot be told from others")
        numbers = _flat(batch.column(0), tensor.key).to_numpy(zero_copy_only=False)
        if numbers.size:
            yield memoryview(numbers.view("u1"))


def _batches(file: io.FileIO, kind: str, key: str) -> Iterator[Any]:
    file.seek(0)
    if kind == "PARQUET":
        from pyarrow import parquet

        yield from parquet.ParquetFile(file).iter_batches(ROWS, columns=[key])
        return
    from pyarrow import ipc

    opened = ipc.open_file(file)
    for number in range(opened.num_record_batches):
        yield opened.get_batch(number).select([key])


def _flat(column: Any, key: str) -> Any:
    """The numbers in lists within lists. What is missing (null) is no number."""
    import pyarrow as pa

    while True:
        if column.null_count:
            raise FormatError(f"has rows without a value (null) in {key[:200]!r}, which arrays do not have")
        if isinstance(column, pa.ExtensionArray):
            column = column.storage
        elif isinstance(column, pa.FixedSizeListArray | pa.ListArray | pa.LargeListArray):
            column = column.flatten()
        else:
            return column


def _dataset(file: io.FileIO, tensor: Tensor) -> Iterator[memoryview]:
    """A dataset of HDF5 in C order. What would read other files is refused; no plugin is loaded (`hdf5.header`)."""
    import h5py

    with h5py.File(file, "r", rdcc_nbytes=SLICE) as opened:
        dataset = opened[tensor.key]
        if dataset.external or dataset.is_virtual:
            raise FormatError(f"keeps the values of {tensor.key} in other files, which are not opened")
        dtype = dataset.dtype.newbyteorder(tensor.order) if tensor.order in "<>" else dataset.dtype
        for part in _slices(dataset, dataset.shape, dataset.chunks):
            yield memoryview(part.astype(dtype, copy=False).reshape(-1).view("u1"))


def _slices(dataset: Any, shape: tuple[int, ...], chunks: tuple[int, ...] | None) -> Iterator[Any]:
    """All of it in C order, in slices along the first axis; of an item that is larger, slices of the item."""
    if not shape:
        yield dataset[()].reshape(1)
        return
    axis, size = _first_cut(shape, dataset.dtype.itemsize)
    step = max(1, SLICE // max(1, size))
    if chunks and chunks[axis] <= step:
        step -= step % chunks[axis]
    from itertools import product

    for outer in product(*(range(length) for length in shape[:axis])):
        for start in range(0, shape[axis], step):
            yield dataset[(*outer, slice(start, start + step))]


def _first_cut(shape: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """The first axis of which one index is no more than a slice, and the bytes of that."""
    for axis in range(len(shape)):
        size = prod(shape[axis + 1 :]) * itemsize
        if size <= SLICE:
            return axis, size
    return len(shape) - 1, itemsize
