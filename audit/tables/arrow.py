"""Arrow and Feather files that cannot be read where they lie: streams are written again as files.

Source: Arrow columnar format 1.5, IPC streaming and file format; Feather 1 begins with `FEA1`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.table import Part, Staged, Staging
from audit.tables import room, sheet
from audit.tables.compression import opened
from audit.tables.faults import explained

if TYPE_CHECKING:
    import pyarrow as pa

_FEATHER_1 = b"FEA1"
_FILE = b"ARROW1"
_CHUNK = 1 << 20


def stage(asked: Staging) -> Staged:
    """One Arrow file for each part: types stay what they are."""
    return Staged(files=tuple(_staged(part, asked.scratch) for part in asked.parts), format="ipc")


def _staged(part: Part, scratch: str) -> str:
    import pyarrow as pa

    target = sheet.new_file(scratch)
    with explained(part.name):
        with opened(part.location, part.name) as file:
            head = file.read(len(_FILE))
        if head.startswith(_FEATHER_1):
            raise CannotLook(
                "is a Feather file of version 1", where=part.name, hint="write it again with pyarrow, as version 2"
            )
        if head == _FILE:
            _unpack(part, target, scratch)
            return target
        with opened(part.location, part.name) as file:
            stream = pa.ipc.open_stream(file)
            shape = pa.schema([_plain(field) for field in stream.schema])
            with pa.ipc.new_file(target, shape) as writer:
                for block in _blocks(stream, shape):
                    room.check(scratch, part.name)
                    writer.write_batch(block)
    return target


def _unpack(part: Part, target: str, scratch: str) -> None:
    """What is a file already was packed as a whole."""
    with opened(part.location, part.name) as file, Path(target).open("wb") as out:
        while data := file.read(_CHUNK):
            room.check(scratch, part.name)
            out.write(data)


def _blocks(stream: pa.RecordBatchReader, shape: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for block in stream:
        arrays = [values.cast(field.type) for values, field in zip(block.columns, shape, strict=True)]
        yield pa.record_batch(arrays, schema=shape)


def _plain(field: pa.Field) -> pa.Field:
    """Without its dictionary, which may change from block to block of a stream, but not of a file."""
    import pyarrow as pa

    return field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
