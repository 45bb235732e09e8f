"""What breaks the rules of one column: how many of its values, where the first of them stand, and what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from audit.records.schema import ColumnRule, Direction
from audit.records.shape import SHOWN, Breach
from audit.records.table import Column, ColumnType, Scalar
from audit.tables.constraints.twice import again
from audit.tables.constraints.values import WORDS, Placed, axis, placed, shown

if TYPE_CHECKING:
    import polars as pl

_NESTED = frozenset({ColumnType.LIST, ColumnType.STRUCT, ColumnType.BINARY})
_REGEX_ERROR = re.compile(r"(?:error: |regex error: )(?!regex parse)(.+)")


def breaches(values: pl.Series, column: Column, rule: ColumnRule) -> Iterator[Breach]:
    """Hold the values (all rows, in their order) against the rule.

    Missing values and NaN break nothing but `nullable` and `max_missing`, which the
    shape of the table tells; a column of nothing else breaks nothing here.
    """
    if column.type is ColumnType.NULL:
        return
    series, column = _as_declared(values, column, rule)
    on_axis = axis(series, column) if column.type not in _NESTED else series
    for hold in (_bounds, _allowed, _pattern, _lengths, _unique, _monotonic):
        yield from hold(on_axis, _Told(values, column), rule)


class _Told:
    """A column, and how its offending rows are told."""

    def __init__(self, values: pl.Series, column: Column) -> None:
        self.values, self.column = values, column

    def broken(self, kind: str, bad: pl.Series, *, of: int, expected: object = "") -> Iterator[Breach]:
        """A breach, if `bad` (booleans by row; null is not bad) is true anywhere."""
        yield from self.at(kind, bad.arg_true(), of=of, expected=expected)

    def at(self, kind: str, places: pl.Series, *, of: int, expected: object = "") -> Iterator[Breach]:
        """A breach at the places (from 0, ascending), if there are any."""
        if places.len():
            rows = [int(row) for row in places.head(SHOWN)]
            yield Breach(
                columns=(self.column.name,),
                kind=kind,
                count=places.len(),
                of=of,
                rows=tuple(row + 1 for row in rows),
                values=shown(self.values, rows),
                expected=str(expected),
            )

    def unfit(self, kind: str, why: str, *, expected: object = "", blind: bool = False) -> Breach:
        """An expectation that cannot be held against this column."""
        return Breach(columns=(self.column.name,), kind=kind, unfit=why, expected=str(expected), blind=blind)


def _as_declared(values: pl.Series, column: Column, rule: ColumnRule) -> tuple[pl.Series, Column]:
    """Text whose words look like numbers or dates is the string that it is declared to be."""
    import msgspec
    import polars as pl

    if rule.type is ColumnType.STRING and column.text and column.type not in _NESTED:
        return values.cast(pl.String), msgspec.structs.replace(column, type=ColumnType.STRING)
    return values, column


def _present(series: pl.Series) -> int:
    return series.len() - series.null_count()


def _bounds(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    yield from _bound(series, told, "min", rule.min)
    yield from _bound(series, told, "max", rule.max)


def _bound(series: pl.Series, told: _Told, kind: str, value: Scalar | None) -> Iterator[Breach]:
    if value is None:
        return
    bound = None if told.column.type is ColumnType.BOOLEAN else placed(value, told.column)
    if bound is None:
        yield told.unfit(kind, f"{value!r} is no {kind} for {_called(told.column)}", expected=value)
    elif (bad := _beyond(series, bound, kind)) is not None:
        yield from told.broken(kind, bad, of=_present(series), expected=value)


def _called(column: Column) -> str:
    """The column's type in words; with what a bound of it needs."""
    if column.type is ColumnType.TIMESTAMP:
        return f"timestamps {'with' if column.zone else 'without'} a time zone"
    return f"a column of type {column.type}"


def _beyond(series: pl.Series, bound: Placed, kind: str) -> pl.Series | None:
    """Where values lie beyond the bound; None if nowhere. Python compares exactly, whatever the column's width."""
    least, most = series.min(), series.max()
    if least is None or (least >= bound if kind == "min" else most <= bound):  # type: ignore[operator]
        return None
    if most < bound if kind == "min" else least > bound:  # type: ignore[operator]
        return series.is_not_null()
    return series < _edge(series, bound, kind) if kind == "min" else series > _edge(series, bound, kind)


def _edge(series: pl.Series, bound: Placed, kind: str) -> Placed:
    """The bound as one of the column's own numbers: whole numbers are compared with whole ones."""
    if isinstance(bound, float) and series.dtype.is_integer():
        return -int(-bound // 1) if kind == "min" else int(bound // 1)
    return bound


def _allowed(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    import polars as pl

    if rule.allowed is None:
        return
    values = [on for one in rule.allowed if (on := placed(one, told.column)) is not None]
    said = ", ".join(str(one) for one in rule.allowed[:SHOWN]) + (", ..." if len(rule.allowed) > SHOWN else "")
    if not values:
        yield told.unfit("allowed", f"none of {said} can be in {_called(told.column)}", expected=said)
        return
    known = pl.Series(_of_its_kind(series, values), dtype=series.dtype)
    bad = ~series.is_in(known.implode())
    yield from told.broken("allowed", bad, of=_present(series), expected=said)


def _of_its_kind(series: pl.Series, values: list[Placed]) -> list[Placed]:
    """The values that a column of that width can hold."""
    if not series.dtype.is_integer():
        return [float(one) for one in values] if series.dtype.is_float() else values
    least, most = series.min(), series.max()
    whole = [int(one) for one in values if one == one // 1]  # type: ignore[operator]
    return [one for one in whole if least is not None and least <= one <= most]  # type: ignore[operator]


def _pattern(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    import polars as pl

    if rule.pattern is None:
        return
    if fault := invalid(rule.pattern):
        yield told.unfit("pattern", f"the pattern cannot be read: {fault}", expected=rule.pattern, blind=True)
        return
    if told.column.type not in WORDS and told.column.type is not ColumnType.INTEGER:
        yield told.unfit("pattern", f"a pattern is for words, not for {_called(told.column)}", expected=rule.pattern)
        return
    words = series.cast(pl.String)
    bad = ~words.str.contains(rf"\A(?:{rule.pattern})\z")
    yield from told.broken("pattern", bad, of=_present(series), expected=rule.pattern)


def invalid(pattern: str) -> str:
    """Why this is no regular expression; "" if it is one.

    The syntax is that of Rust's `regex`, which runs in linear time and so has no
    look-around and no back-references; what it compiles to is bounded by 10 MiB.
    Source: https://docs.rs/regex/latest/regex/#syntax
    """
    import polars as pl

    try:
        pl.Series([""]).str.contains(pattern)
        pl.Series([""]).str.contains(rf"\A(?:{pattern})\z")
    except pl.exceptions.PolarsError as error:
        said = _REGEX_ERROR.findall(str(error))
        return said[-1] if said else "not a regular expression"
    return ""


def _lengths(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    least, most = rule.min_length, rule.max_length
    if least is None and most is None:
        return
    lengths = _lengths_of(series, told.column)
    if lengths is None:
        yield told.unfit("length", f"{_called(told.column)} has no lengths")
        return
    if least is not None:
        yield from told.broken("length", lengths < least, of=_present(series), expected=f"at least {least}")
    if most is not None:
        yield from told.broken("length", lengths > most, of=_present(series), expected=f"at most {most}")


def _lengths_of(series: pl.Series, column: Column) -> pl.Series | None:
    import polars as pl

    if column.type in WORDS:
        return series.str.len_chars()
    if column.type is ColumnType.BINARY:
        return series.bin.size()
    if column.type is ColumnType.LIST:
        return series.arr.len() if isinstance(series.dtype, pl.Array) else series.list.len()
    return None


def _unique(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    """Rows whose value stands in a row above; missing values are like nothing, as in SQL."""
    if not rule.unique:
        return
    there = series.alias("value").to_frame().with_row_index("row").drop_nulls()
    rows = again(there).get_column("row")
    yield from told.at("unique", rows, of=there.height, expected="each value once")


_BREAKS: dict[Direction, Callable[[pl.Series, pl.Series], pl.Series]] = {
    Direction.INCREASING: lambda above, here: here < above,
    Direction.STRICTLY_INCREASING: lambda above, here: here <= above,
    Direction.DECREASING: lambda above, here: here > above,
    Direction.STRICTLY_DECREASING: lambda above, here: here >= above,
}


def _monotonic(series: pl.Series, told: _Told, rule: ColumnRule) -> Iterator[Breach]:
    """Rows that do not follow the last value above them; missing ones are passed over."""
    if rule.monotonic is None:
        return
    if told.column.type in _NESTED:
        yield told.unfit("monotonic", f"{_called(told.column)} has no order", expected=rule.monotonic)
        return
    above = series.forward_fill().shift(1)
    bad = _BREAKS[rule.monotonic](above, series)
    yield from told.broken("monotonic", bad, of=max(_present(series) - 1, 0), expected=rule.monotonic)
