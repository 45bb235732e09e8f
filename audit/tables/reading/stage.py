"""Brings any table into files that can be read column by column."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from audit.errors import CannotLook
from audit.formats.parts import columnar, partitions
from audit.formats.suffixes import suffix
from audit.formats.urls import is_remote
from audit.records.table import Staged, Staging
from audit.tables.reading import arrow, json_lines, text

_TEXT = frozenset({".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", ".data", ""})

_JSON = frozenset({".jsonl", ".ndjson"})
_ARROW = frozenset({".arrow", ".feather", ".arrows", ".ipc"})


def stage(asked: Staging) -> Staged:
    """One typed Arrow file in the scratch folder; remote files of columns are left as they are.

    Raises `CannotLook` where the bytes are no table.
    """
    if is_remote(asked.parts[0].location):
        return _remote(asked)
    name = asked.parts[0].name
    for suffixes, read in ((_TEXT, text.stage), (_JSON, json_lines.stage), (_ARROW, arrow.stage)):
        if suffix(name) in suffixes:
            return read(asked)
    raise CannotLook(
        f"tables are not read from {suffix(name)} files",
        where=name,
        hint="write it as Parquet, Arrow, CSV, TSV or JSON Lines",
    )


def _remote(asked: Staging) -> Staged:
    from audit.tables.reading.remote import fetched

    parts = fetched(asked.parts[0].location, asked.scratch)
    kind = columnar(parts, _head)
    if kind is None:
        return stage(replace(asked, parts=parts))
    files, names = tuple(part.location for part in parts), tuple(part.name for part in parts)
    return Staged(files=files, names=names, format=kind, partitions=partitions(parts))


def _head(path: str, size: int) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(size)
