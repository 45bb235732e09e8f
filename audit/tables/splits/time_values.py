"""Times of several tables on one scale: whole microseconds since 1970, or numbers as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from audit.errors import CannotLook
from audit.records.splits import AskTimes
from audit.records.table import Column, ColumnType
from audit.tables.splits.groups import identity
from audit.tables.splits.splits import named

if TYPE_CHECKING:
    import polars as pl

    from audit.tables.splits.splits import Piece, Splits

_US = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6, "w": 604800 * 10**6}
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|m|h|d|w)?")
_DATED = {ColumnType.TIMESTAMP, ColumnType.DATE}
_NUMBERS = {ColumnType.INTEGER, ColumnType.FLOAT}


class Clock(NamedTuple):
    """How times are read: the kind of the columns, the names of start, end and series, a window's length, the gap.

    Lengths and times are integers in microseconds, or numbers in the column's own unit.
    `closed` is whether a window holds its end.
    """

    dated: bool
    whole: bool
    zone: bool
    start: str
    end: str
    by: str
    window: float
    gap: float
    closed: bool

    def columns(self, piece: Piece) -> list[pl.Expr]:
        """`start`, `end` and `by` of a piece's rows; without a series all are of one."""
        import polars as pl

        start = self._value(piece, self.start)
        end = self._value(piece, self.end) if self.end else start + self.window if self.window else start
        by = identity(piece.column(self.by)).alias("by") if self.by else pl.lit(0, dtype=pl.UInt8).alias("by")
        return [start.alias("start"), end.alias("end"), by]

    def text(self, value: float | None) -> str:
        """A time as people write it; empty for none."""
        if value is None:
            return ""
        if not self.dated:
            return str(value) if isinstance(value, int) else f"{value:.12g}"
        try:
            moment = datetime(1970, 1, 1) + timedelta(microseconds=int(value))  # noqa: DTZ001 - the zone is said beside it
        except OverflowError:  # years that Python's calendar does not have
            return f"{value} us since 1970"
        text = moment.isoformat(" ").removesuffix(" 00:00:00")
        return f"{text} UTC" if self.zone else text

    def _value(self, piece: Piece, name: str) -> pl.Expr:
        import polars as pl

        value, dtype = named(name), piece.table.frame.collect_schema()[name]
        if not self.dated:
            return value.cast(pl.Int64) if self.whole else value.cast(pl.Float64).fill_nan(None)
        if dtype == pl.Null:
            return value.cast(pl.Int64)
        if isinstance(dtype, pl.Datetime) and dtype.time_zone:
            value = value.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return value.cast(pl.Datetime("us")).dt.epoch("us")


def clock(splits: Splits, wish: AskTimes) -> Clock:
    """Read what the columns hold. Raises `CannotLook` where that is no time, or not one kind of it."""
    names = [name for name in (wish.column, wish.end) if name]
    columns = [(piece, piece.column(name)) for piece in splits.pieces for name in names]
    known = [(piece, column) for piece, column in columns if column.type is not ColumnType.NULL]
    _alike(known)
    types = {column.type for _, column in known}
    dated = bool(types & _DATED)
    if wish.by:
        for piece in splits.pieces:
            piece.column(wish.by)
    window = _length(wish.window, dated=dated, what="window")
    return Clock(
        dated=dated,
        whole=types == {ColumnType.INTEGER},
        zone=any(column.zone for _, column in known),
        start=wish.column,
        end=wish.end,
        by=wish.by,
        window=window,
        gap=_length(wish.gap, dated=dated, what="gap"),
        closed=bool(wish.end),
    )


def _alike(known: Sequence[tuple[Piece, Column]]) -> None:
    """All are numbers, or all times of no zone, or all of some zone."""
    for piece, column in known:
        if column.type not in _DATED | _NUMBERS:
            raise CannotLook(
                f"{piece.path}: column {column.name!r} is of type {column.type}, which is no time",
                hint="write dates as YYYY-MM-DD, or name a column of dates, timestamps or numbers",
            )
    first: dict[str, tuple[Piece, Column]] = {}
    for piece, column in known:
        first.setdefault(_sort(column), (piece, column))
    if len(first) > 1:
        told = [f"{column.name!r} of {piece.path} holds {sort}" for sort, (piece, column) in sorted(first.items())]
        raise CannotLook(
            f"times that cannot be compared: {', '.join(told)}", hint="say the zone of both, or of none, and one type"
        )
    if not known:
        raise CannotLook("the column of times is empty in every split")


def _sort(column: Column) -> str:
    if column.type in _NUMBERS:
        return "numbers"
    return "times of a zone (aware)" if column.zone else "times without a zone (naive)"


def _length(said: str, *, dated: bool, what: str) -> float:
    """A length of time, in microseconds for dates; 0 for none. A number without a unit is seconds there."""
    if not said:
        return 0
    found = _LENGTH.fullmatch(said.strip())
    if found is None or (found[2] and not dated):
        raise CannotLook(
            f"`{what}: {said}` is no length of time for this column",
            hint="a number with us, ms, s, m, h, d or w for dates; a number alone for numbers",
        )
    number = float(found[1]) if "." in found[1] else int(found[1])
    return int(number * _US[found[2] or "s"]) if dated else number
