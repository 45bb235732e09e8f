"""What the values of one key of JSON Lines are, and the column that holds them all.

JSON has types of its own (RFC 8259): a number in quotes is a word, and only what JSON has no
type for, dates and times, is found in strings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from audit.records.table import Column, ColumnType
from audit.tables.reading.infer import EXACT, Guess, Seen, nearest_float
from audit.tables.reading.notes import Note
from audit.tables.reading.typed import Form, dtype, form, typed, zone
from audit.tables.types import column

if TYPE_CHECKING:
    import polars as pl

_NESTED: dict[type, ColumnType] = {list: ColumnType.LIST, dict: ColumnType.STRUCT}
_WORDS = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
_LONGEST = 60
_LARGEST = 1 << 1023
"""Whole numbers as large as this are kept as text: no float64 is much larger."""
_FIRST = 10


class Values:
    """The values of one key, counted block by block; `started` is how many rows came before its first."""

    def __init__(self, name: str, started: int) -> None:
        self.name, self.nulls = name, started
        self.kinds: Counter[type] = Counter()
        self.low = self.high = 0
        self.guess = Guess(only_times=True)
        self.inexact = Seen()
        self.rows: dict[str, list[int]] = {}

    def see(self, values: Sequence[Any], start: int) -> None:
        """Look at the values of the rows from `start` on; None is one that is not there."""
        kinds = Counter(map(type, values))
        self.nulls += kinds.pop(type(None), 0)
        self.kinds.update(kinds)
        for kind in kinds:
            self._first_rows(kind, values, start)
        if int in kinds:
            self._integers(values, start)
        if str in kinds and self.guess.times:
            import polars as pl

            self.guess.see(pl.Series([one if type(one) is str else None for one in values], dtype=pl.String), start)

    def _first_rows(self, kind: type, values: Sequence[Any], start: int) -> None:
        rows = self.rows.setdefault(_WORDS[kind], [])
        if len(rows) < _FIRST:
            found = (start + place for place, one in enumerate(values) if type(one) is kind)
            rows.extend(row for row, _ in zip(found, range(_FIRST - len(rows)), strict=False))

    def _integers(self, values: Sequence[Any], start: int) -> None:
        whole = [one for one in values if type(one) is int]
        low, high = min(whole), max(whole)
        self.low, self.high = min(self.low, low), max(self.high, high)
        if high > EXACT or low < -EXACT:
            for place, one in enumerate(values):
                if type(one) is int and abs(one) > EXACT and nearest_float(str(one)) != str(one):
                    self._lossy(one, start + place)

    def _lossy(self, value: int, row: int) -> None:
        self.inexact.first = self.inexact.first or str(value)
        self.inexact.count += 1
        if len(self.inexact.rows) < _FIRST:
            self.inexact.rows.append(row)

    def dtype(self) -> pl.DataType:
        """The physical type of the column."""
        import polars as pl

        kinds = set(self.kinds)
        if not kinds:
            return pl.Null()
        if kinds == {bool}:
            return pl.Boolean()
        if kinds == {int}:
            return self._integer()
        if kinds <= {int, float} and max(self.high, -self.low) < _LARGEST:
            return pl.Float64()
        return dtype(self.guess) if self._is_time() else pl.String()

    def _integer(self) -> pl.DataType:
        import polars as pl

        if self.low >= -(1 << 63) and self.high < 1 << 63:
            return pl.Int64()
        return pl.UInt64() if self.low >= 0 and self.high < 1 << 64 else pl.String()

    def _is_time(self) -> bool:
        found = self.guess
        return (
            set(self.kinds) == {str} and not found.missing.count and form(found) in {Form.DATE, Form.CLOCK, Form.ZONED}
        )

    def column(self) -> Column:
        """What it means; lists and objects are kept as their JSON."""
        one = column(self.name, self.dtype(), text=self._is_time())
        if len(self.kinds) == 1 and (nested := _NESTED.get(next(iter(self.kinds)))):
            return msgspec.structs.replace(one, type=nested, physical="json")
        return msgspec.structs.replace(one, zone=zone(self.guess)) if one.zone else one

    def series(self, values: Sequence[Any]) -> pl.Series:
        """A block of values in the type of the column."""
        import polars as pl

        kind = self.dtype()
        if self._is_time():
            return typed(pl.Series(values, dtype=pl.String), self.guess)
        if kind == pl.String:
            return pl.Series([one if one is None or type(one) is str else _json(one) for one in values], dtype=kind)
        if kind == pl.Float64:
            return pl.Series([None if one is None else float(one) for one in values], dtype=kind)
        return pl.Series(values, dtype=kind)

    def notes(self) -> list[Note]:
        """What is to be said of the values."""
        words = Counter[str]()
        for kind, count in self.kinds.items():
            words[_WORDS[kind]] += count
        found = []
        if len(words) > 1:
            (_, most), *others = words.most_common()
            rows = sorted(row for word, _ in others for row in self.rows[word])[:_FIRST]
            said = ", ".join(f"{count:,} {word}{'s' if count > 1 else ''}" for word, count in words.most_common())
            found.append(
                Note(
                    kind="mixed",
                    count=words.total() - most,
                    message=f"values of several types: {said}",
                    rows=tuple(rows),
                )
            )
        if self.inexact.count and (self.nulls or float in self.kinds or self._is_huge()):
            first = self.inexact.first
            said = f"not exactly representable above 2^53: {first[:_LONGEST]} -> {nearest_float(first)[:_LONGEST]}"
            found.append(Note(kind="inexact", count=self.inexact.count, message=said, rows=tuple(self.inexact.rows)))
        return found

    def _is_huge(self) -> bool:
        return set(self.kinds) == {int} and (
            self.low < -(1 << 63) or self.high >= 1 << 64 or (self.low < 0 and self.high >= 1 << 63)
        )


def _json(value: Any) -> str:
    return msgspec.json.encode(_finite(value), order="sorted").decode()


def _finite(value: Any) -> Any:
    """JSON has no NaN: where Python wrote one, it is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return {name: _finite(one) for name, one in value.items()} if isinstance(value, dict) else value
