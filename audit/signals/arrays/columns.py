"""Columns of Parquet and Arrow by pyarrow: tensors are lists of one length, and numbers arrays of one axis.

Sources: the Parquet format; the Arrow columnar format and its canonical extension types (`arrow.fixed_shape_tensor`).
No extension type but those that pyarrow itself knows is made: others come as what they are stored as.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from audit.records.array import ArrayHeader, Tensor
from audit.records.array_content import Contents
from audit.records.signals import Fault

T = TypeVar("T")

_ROWS = 1 << 14
_SHOWN = 20
_NAMES = {"halffloat": "float16", "float": "float32", "double": "float64"}
_PARQUET, _ARROW = b"PAR1", b"ARRO"
_ENDS = {_PARQUET: b"PAR1", _ARROW: b"ARROW1"}
_WIDE = re.compile(r"(u?int|float)(16|32|64)")
"""Types whose bytes have an order, which is little-endian in both formats."""


def header(file: io.FileIO) -> ArrayHeader:
    """The columns of an open file as arrays, the rows along their first axis."""
    return _guarded(file, _headed, lambda fault: ArrayHeader(faults=(fault,)))


def content(file: io.FileIO) -> Contents:
    """All columns, unpacked, the checksums of their pages verified where there are any."""
    return _guarded(file, _unpacked, lambda fault: Contents(faults=(fault,)))


def _headed(source: Any) -> ArrayHeader:
    return ArrayHeader(format=source.name, tensors=tuple(_tensors(source)), unsafe=tuple(_pickled(source)))


def _pickled(source: Any) -> Iterator[str]:
    """What is told of columns of bytes whose first value begins as a pickle does."""
    import pyarrow as pa

    for field in source.schema:
        if pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
            first = next((batch.column(0)[0].as_py() for batch in source.batches(field.name) if len(batch)), None)
            if first and len(first) > 2 and first[0] == 0x80 and 2 <= first[1] <= 5:  # noqa: PLR2004 - a protocol
                yield f"holds in {field.name[:200]!r} pickles"


def _unpacked(source: Any) -> Contents:
    parts = size = 0
    for batch in source.batches():
        batch.validate(full=True)
        parts, size = parts + 1, size + batch.nbytes
    return Contents(parts=parts, size=size)


class _Parquet:
    """A file of Parquet."""

    name = "PARQUET"

    def __init__(self, file: io.FileIO) -> None:
        from pyarrow import parquet

        self._file = parquet.ParquetFile(file, page_checksum_verification=True)
        self.schema, self.rows = self._file.schema_arrow, self._file.metadata.num_rows

    def batches(self, *columns: str) -> Iterator[Any]:
        """Its rows, or those of some columns, some thousand at a time."""
        yield from self._file.iter_batches(_ROWS, columns=list(columns) or None)


class _Arrow:
    """A file of Arrow IPC, with its footer."""

    name = "ARROW"

    def __init__(self, file: io.FileIO) -> None:
        from pyarrow import ipc

        self._file = ipc.open_file(file)
        self.schema = self._file.schema
        self.rows = sum(batch.num_rows for batch in self.batches())

    def batches(self, *columns: str) -> Iterator[Any]:
        """Its batches, or some columns of them."""
        for number in range(self._file.num_record_batches):
            batch = self._file.get_batch(number)
            yield batch.select(list(columns)) if columns else batch


class _Stream:
    """A stream of Arrow IPC in a file, as `datasets` of Hugging Face writes it; whole as far as its messages are."""

    name = "ARROW"

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self.schema = self._begun().schema
        self.rows = sum(batch.num_rows for batch in self.batches())

    def _begun(self) -> Any:
        from pyarrow import ipc

        self._file.seek(0)
        return ipc.open_stream(self._file)

    def batches(self, *columns: str) -> Iterator[Any]:
        """Its batches, or some columns of them."""
        for batch in self._begun():
            yield batch.select(list(columns)) if columns else batch


def _guarded(file: io.FileIO, look: Callable[[Any], T], fault: Callable[[Fault], T]) -> T:
    import pyarrow as pa

    head = file.read(4)
    try:
        return look(_SOURCES.get(head, _Stream)(file))
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        return fault(_broken(file, head, error))


_SOURCES: dict[bytes, Callable[[io.FileIO], Any]] = {_PARQUET: _Parquet, _ARROW: _Arrow}


def _broken(file: io.FileIO, head: bytes, error: Exception) -> Fault:
    file.seek(max(0, file.seek(0, io.SEEK_END) - 6))
    if head in _SOURCES and not file.read(6).endswith(_ENDS[head]):
        size = file.tell()
        return Fault(kind="truncated", what=f"ends after {size:,} bytes, without the footer that closes it", found=size)
    word = str(error).strip().partition("\n")[0][:200]
    return Fault(kind="corrupt", what=f"cannot be read: {word}")


def _tensors(source: Any) -> Iterator[Tensor]:
    for field in source.schema:
        dtype, sides = _shape(source, field.name, field.type)
        order = "<" if _WIDE.fullmatch(dtype) else "|"
        yield Tensor(key=field.name, dtype=dtype, shape=(source.rows, *sides), order=order)


def _shape(source: Any, column: str, kind: Any) -> tuple[str, tuple[int, ...]]:
    """The type of the numbers in a column, and the shape of one row."""
    import pyarrow as pa

    sides: tuple[int, ...] = ()
    if isinstance(kind, pa.FixedShapeTensorType):
        return _name(kind.value_type), tuple(kind.shape)
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    while pa.types.is_fixed_size_list(kind):
        sides, kind = (*sides, kind.list_size), kind.value_type
    if not sides and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        length = _length(source, column)
        if length is not None and not pa.types.is_nested(kind.value_type):
            return _name(kind.value_type), (length,)
    return _name(kind), sides


def _length(source: Any, column: str) -> int | None:
    """How long every list of a column is, if all are alike."""
    from pyarrow import compute

    lengths: set[Any] = set()
    for batch in source.batches(column):
        lengths.update(compute.unique(compute.list_value_length(batch.column(0))).to_pylist())
        if len(lengths) > 1:
            return None
    return next(iter(lengths), None)


def _name(kind: Any) -> str:
    return _NAMES.get(str(kind), str(kind))
