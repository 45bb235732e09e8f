"""Arrow and Feather files that cannot be read where they lie: streams are written again as files.

Source: Arrow columnar format 1.5, IPC streaming and file format; Feather 1 begins with `FEA1`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from audit.errors import CannotLook
from audit.formats.parts import Partitions, partitions
from audit.records.table import Column, ColumnType, Part, Staged, Staging
from audit.tables import sheet
from audit.tables.faults import explained
from audit.tables.reading import room
from audit.tables.reading.compression import opened
from audit.tables.types import column

if TYPE_CHECKING:
    import pyarrow as pa

_FEATHER_1 = b"FEA1"
_FILE = b"ARROW1"
_CHUNK = 1 << 20


def stage(asked: Staging) -> Staged:
    """One Arrow file for each part: types stay what they are, and categories are called so, though written out."""
    kinds = partitions(asked.parts)
    files = tuple(_staged(part, asked.scratch, kinds) for part in asked.parts)
    names = tuple(part.name for part in asked.parts)
    categories = {name for _, some in files for name in some}
    columns = _columns(files[0][0], categories) if categories else ()
    return Staged(files=tuple(file for file, _ in files), names=names, format="ipc", columns=columns)


def _columns(file: str, categories: set[str]) -> tuple[Column, ...]:
    import polars as pl

    found = [column(name, dtype) for name, dtype in pl.read_ipc_schema(file).items()]
    return tuple(replace(one, type=ColumnType.CATEGORICAL) if one.name in categories else one for one in found)


def _staged(part: Part, scratch: str, kinds: Partitions) -> tuple[str, list[str]]:
    """The file, and the names of its columns of categories."""
    import pyarrow as pa

    with explained(part.name):
        with opened(part.location, part.name) as file:
            head = file.read(len(_FILE))
        if head.startswith(_FEATHER_1):
            raise CannotLook(
                "is a Feather file of version 1", where=part.name, hint="write it again with pyarrow, as version 2"
            )
        if head == _FILE:
            return _written(part, pa.ipc.open_file(_unpacked(part, scratch)), scratch, kinds)
        with opened(part.location, part.name) as file:
            return _written(part, pa.ipc.open_stream(file), scratch, kinds)


def _unpacked(part: Part, scratch: str) -> str:
    """A file that was packed as a whole."""
    target = sheet.new_file(scratch)
    with opened(part.location, part.name) as file, Path(target).open("wb") as out:
        while data := file.read(_CHUNK):
            room.check(scratch, part.name)
            out.write(data)
    return target


def _written(part: Part, source: Any, scratch: str, kinds: Partitions) -> tuple[str, list[str]]:
    """The blocks, and the columns that folders name behind theirs."""
    import pyarrow as pa

    target = sheet.new_file(scratch)
    fields = [_plain(field) for field in source.schema]
    folders = [pa.field(name, kind) for (name, _), kind in zip(kinds, sheet.key_types(kinds), strict=True)]
    shape = pa.schema([*fields, *folders])
    with pa.ipc.new_file(target, shape) as writer:
        for block in _blocks(source):
            room.check(scratch, part.name)
            arrays = [values.cast(field.type) for values, field in zip(block.columns, fields, strict=True)]
            writer.write_batch(pa.record_batch([*arrays, *sheet.typed_keys(part, len(block), kinds)], schema=shape))
    return target, [field.name for field in source.schema if _is_category(field.type)]


def _is_category(kind: pa.DataType) -> bool:
    """A dictionary of text; one of numbers is only a way to store them."""
    import pyarrow as pa

    return pa.types.is_dictionary(kind) and not pa.types.is_primitive(kind.value_type)


def _blocks(source: Any) -> Iterator[pa.RecordBatch]:
    if hasattr(source, "num_record_batches"):
        return (source.get_batch(number) for number in range(source.num_record_batches))
    return iter(source)


def _plain(field: pa.Field) -> pa.Field:
    """Without its dictionary, which may change from block to block of a stream, but not of a file."""
    import pyarrow as pa

    return field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
