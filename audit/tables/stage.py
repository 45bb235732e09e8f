"""Brings any table into files that can be read column by column."""

from __future__ import annotations

from audit.errors import CannotLook
from audit.formats.suffixes import suffix
from audit.records.table import Staged, Staging
from audit.tables import arrow, json_lines, text

_TEXT = frozenset({".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", ".data", ""})

_JSON = frozenset({".jsonl", ".ndjson"})
_ARROW = frozenset({".arrow", ".feather", ".arrows", ".ipc"})


def stage(asked: Staging) -> Staged:
    """One typed Arrow file in the scratch folder. Raises `CannotLook` where the bytes are no table."""
    name = asked.parts[0].name
    for suffixes, read in ((_TEXT, text.stage), (_JSON, json_lines.stage), (_ARROW, arrow.stage)):
        if suffix(name) in suffixes:
            return read(asked)
    raise CannotLook(
        f"tables are not read from {suffix(name)} files",
        where=name,
        hint="write it as Parquet, Arrow, CSV, TSV or JSON Lines",
    )
