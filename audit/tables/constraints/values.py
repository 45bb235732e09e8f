"""Values that people declare, and columns to hold against them: both brought onto one axis.

Times become whole numbers in the unit of the column's clock and dates days since
1970-01-01, as polars stores them, so that no comparison depends on Python's narrower
range of dates; levels become their words.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from math import isfinite
from typing import TYPE_CHECKING

from audit.records.table import Column, ColumnType, Scalar

if TYPE_CHECKING:
    import polars as pl

Placed = bool | int | float | str

NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.FLOAT})
WORDS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})
_CLOCKS = frozenset({ColumnType.TIMESTAMP, ColumnType.DATE, ColumnType.DURATION, ColumnType.TIME})
_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = date(1970, 1, 1).toordinal()
_LONGEST = 60


def axis(series: pl.Series, column: Column) -> pl.Series:
    """The values as numbers, words or booleans that Python's can be compared with; NaN as missing."""
    import polars as pl

    if column.type in _CLOCKS:
        return series.to_physical()
    if column.type in WORDS:
        return series.cast(pl.String)
    if column.type is ColumnType.FLOAT:
        return series.cast(pl.Float64).fill_nan(None)
    return series


def placed(value: Scalar, column: Column) -> Placed | None:
    """The declared value on the axis of the column; None where it is none of the column's kind.

    A time's fraction finer than the clock of the column is rounded down.
    """
    if column.type is ColumnType.BOOLEAN:
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if column.type in NUMBERS:
        return value if isinstance(value, int | float) else None
    if column.type in WORDS:
        return value if isinstance(value, str) else None
    if column.type is ColumnType.DURATION:
        return _seconds(value, column) if isinstance(value, int | float) and isfinite(value) else None
    return _clock(value, column) if isinstance(value, str) and column.type in _CLOCKS else None


def shown(series: pl.Series, rows: list[int]) -> tuple[str, ...]:
    """The values at these positions, as text of bounded length."""
    import polars as pl

    some = series.gather(rows)
    try:
        words = some.cast(pl.String).to_list()
    except pl.exceptions.PolarsError:
        words = [repr(one) for one in some.to_list()]
    return tuple(_cut(one) for one in words)


def _cut(word: str | None) -> str:
    text = "" if word is None else word
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _seconds(value: float, column: Column) -> int:
    ticks = _TICKS[column.unit or "us"]
    return int(value) * ticks + int((value - int(value)) * ticks)


def _clock(text: str, column: Column) -> int | None:
    try:
        if column.type is ColumnType.DATE:
            return date.fromisoformat(text).toordinal() - _EPOCH
        if column.type is ColumnType.TIME:
            told = time.fromisoformat(text)
            return None if told.tzinfo else _nanoseconds(told)
        return _instant(datetime.fromisoformat(text), column)
    except ValueError:
        return None


def _nanoseconds(told: time) -> int:
    return ((told.hour * 60 + told.minute) * 60 + told.second) * 10**9 + told.microsecond * 1_000


def _instant(told: datetime, column: Column) -> int | None:
    """Ticks since 1970-01-01; a bound without a zone cannot be held against instants, nor the reverse."""
    if (told.tzinfo is None) != (column.zone is None):
        return None
    clock = told.astimezone(UTC) if told.tzinfo else told
    days = clock.toordinal() - _EPOCH
    seconds = ((days * 24 + clock.hour) * 60 + clock.minute) * 60 + clock.second
    micros = seconds * 10**6 + clock.microsecond
    return micros * _TICKS[column.unit or "us"] // 10**6
