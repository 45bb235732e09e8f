"""JSON Lines in one or more files, brought into one typed Arrow file (https://jsonlines.org).

The files are read twice: for what every key's values are, and to write them as that.
"""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from audit.errors import CannotLook
from audit.formats.parts import Partitions, partitions
from audit.records.table import Column, Part, Reading, Remark, Staged, Staging
from audit.tables import sheet
from audit.tables.faults import explained
from audit.tables.reading import room
from audit.tables.reading.compression import opened
from audit.tables.reading.encoding import Utf8
from audit.tables.reading.json_values import Values
from audit.tables.reading.lines import physical
from audit.tables.types import column

_LONGEST_LINE = 64 << 20
_CHUNK = 1 << 20
_BLOCK = 4 << 20
"""Bytes of lines that are held as Python's values at once."""
_KEPT = 1 << 20
_FIRST = 10
_DEEPEST = 200
"""Lists and objects within each other: RFC 8259, section 9, leaves it to a reader; Python's calls end near 1,000."""

Row = dict[str, Any]


class JsonLines:
    """One file, read line by line."""

    def __init__(self, part: Part, reading: Reading) -> None:
        self.part, self._encoding = part, reading.encoding
        self._missing = frozenset(reading.missing)
        self.bad = 0
        self.bad_lines: list[int] = []
        self._dropped = array("q")

    def blocks(self) -> Iterator[list[Row]]:
        """The objects, block by block; lines that are none are counted, empty ones passed over."""
        rows: list[Row] = []
        size = self.bad = 0
        self.bad_lines, self._dropped = [], array("q")
        for number, line in enumerate(self._lines()):
            row = _object(line)
            if row is None:
                self._drop(number, is_blank=not line.strip())
                continue
            rows.append(self._without_missing(row) if self._missing else row)
            size += len(line)
            if size >= _BLOCK:
                yield rows
                rows, size = [], 0
        if rows:
            yield rows

    def lines_of(self, rows: Sequence[int]) -> tuple[int, ...]:
        """The lines of rows, by their numbers (from 0) among those in the blocks."""
        return tuple(physical(row, self._dropped) + 1 for row in rows)

    def _without_missing(self, row: Row) -> Row:
        return {name: None if isinstance(one, str) and one in self._missing else one for name, one in row.items()}

    def _drop(self, number: int, *, is_blank: bool) -> None:
        if len(self._dropped) < _KEPT:
            self._dropped.append(number)
        if not is_blank:
            self.bad += 1
            if len(self.bad_lines) < _FIRST:
                self.bad_lines.append(number + 1)

    def _lines(self) -> Iterator[bytes]:
        with explained(self.part.name):
            file = Utf8(opened(self.part.location, self.part.name), self.part.name, self._encoding)
            pieces: list[bytes] = []
            while data := file.read(_CHUNK):
                first, *others = data.split(b"\n")
                pieces.append(first)
                for other in others:
                    yield b"".join(pieces)
                    pieces = [other]
                self._bounded(pieces)
            yield b"".join(pieces)
            file.close()

    def _bounded(self, pieces: Sequence[bytes]) -> None:
        if sum(map(len, pieces)) > _LONGEST_LINE:
            raise CannotLook(
                f"a line is longer than {_LONGEST_LINE >> 20} MiB",
                where=self.part.name,
                hint="write one JSON object on each line",
            )


def _object(line: bytes) -> Row | None:
    """The object on a line; None where it is none, is nested too deep, or holds half a pair of surrogates."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        found = _pythons(line)
    if not isinstance(found, dict):
        return None
    return None if line.count(b"[") + line.count(b"{") > _DEEPEST and _is_deep(found) else found


def _pythons(line: bytes) -> Any:
    """What Python and pandas write beyond JSON: NaN, here a missing value, and Infinity."""
    try:
        found = json.loads(line, parse_int=_whole)
        json.dumps(found, ensure_ascii=False).encode()  # escapes can spell half a pair of surrogates
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    return {name: None if isinstance(one, float) and math.isnan(one) else one for name, one in found.items()}


def _is_deep(found: Row) -> bool:
    level: list[Any] = [found]
    for _ in range(_DEEPEST):
        inner = (one for some in level for one in (some.values() if isinstance(some, dict) else some))
        level = [one for one in inner if isinstance(one, dict | list)]
    return bool(level)


def _whole(digits: str) -> int | str:
    """An integer; Python refuses to read thousands of digits, which stay text."""
    return int(digits) if len(digits) < 4000 else digits  # noqa: PLR2004 - `sys.int_info.default_max_str_digits` is 4300


def stage(asked: Staging) -> Staged:
    """The objects of all files in their order. Raises `CannotLook` if there is none."""
    files = [JsonLines(part, asked.reading) for part in asked.parts]
    found, starts, rows = _seen(files)
    if not rows:
        raise CannotLook(
            "no line is a JSON object" if any(file.bad for file in files) else "is empty",
            where=files[0].part.name,
            hint="write one JSON object on each line",
        )
    if not found:
        raise CannotLook("its objects are empty", where=files[0].part.name, hint="give them keys")
    remarks = (*_of_lines(files), *_of_values(found, files, [*starts, rows]))
    path = _written(asked, files, found)
    columns = (*(one.column() for one in found), *_keys(partitions(asked.parts)))
    return Staged(files=(path,), format="ipc", columns=columns, remarks=remarks)


def _seen(files: Sequence[JsonLines]) -> tuple[list[Values], list[int], int]:
    """What the values of each key are, in the order of the keys' first appearance; where each file's rows begin."""
    found: dict[str, Values] = {}
    starts, rows = [], 0
    for file in files:
        starts.append(rows)
        for block in file.blocks():
            for name in (name for row in block for name in row if name not in found):
                found[name] = Values(name, rows)
            room.check_width(len(found), file.part.name)
            for name, values in found.items():
                values.see([row.get(name) for row in block], rows)
            rows += len(block)
    return list(found.values()), starts, rows


def _written(asked: Staging, files: Sequence[JsonLines], found: Sequence[Values]) -> str:
    import polars as pl
    import pyarrow as pa

    kinds = partitions(asked.parts)
    types = [one.dtype() for one in found] + [pl.Int64() if kind == "integer" else pl.String() for _, kind in kinds]
    shape = sheet.schema([*(one.name for one in found), *(name for name, _ in kinds)], types)
    target = sheet.new_file(asked.scratch)
    with pa.ipc.new_file(target, shape) as writer:
        for file in files:
            for block in file.blocks():
                room.check(asked.scratch, file.part.name)
                columns = [one.series([row.get(one.name) for row in block]).to_arrow() for one in found]
                cast = [values.cast(field.type) for values, field in zip(columns, shape, strict=False)]
                writer.write_batch(
                    pa.record_batch([*cast, *sheet.typed_keys(file.part, len(block), kinds)], schema=shape)
                )
    return target


def _keys(kinds: Partitions) -> Iterator[Column]:
    import polars as pl

    return (column(name, pl.Int64() if kind == "integer" else pl.String(), text=True) for name, kind in kinds)


def _of_lines(files: Sequence[JsonLines]) -> Iterator[Remark]:
    for file in files:
        if file.bad:
            said = f"{file.bad:,} line{' is' if file.bad == 1 else 's are'} no JSON object; left out"
            yield Remark(
                kind="not-json", count=file.bad, message=said, lines=tuple(file.bad_lines), file=file.part.name
            )


def _of_values(found: Sequence[Values], files: Sequence[JsonLines], starts: Sequence[int]) -> Iterator[Remark]:
    for values in found:
        for note in values.notes():
            number = bisect_right(starts, note.rows[0]) - 1
            lines = files[number].lines_of([row - starts[number] for row in note.rows if row < starts[number + 1]])
            yield Remark(
                kind=note.kind,
                count=note.count,
                message=note.message,
                column=values.name,
                lines=lines,
                file=files[number].part.name,
            )
