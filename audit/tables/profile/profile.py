"""The profile of a table, column by column: never more of it in memory than one column needs."""

from __future__ import annotations

from audit.records.profile import ColumnProfile, Lengths, TableProfile
from audit.records.table import Column, ColumnType
from audit.tables.budget import budget
from audit.tables.numeric import NUMBERS, TIMES
from audit.tables.profile.edges import bins_of
from audit.tables.profile.numbers import Size, number_profile
from audit.tables.profile.words import levels, outline, words_profile
from audit.tables.table import Table
from audit.tables.values import VALUE, Values, by_column

WORDS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL, ColumnType.BOOLEAN})
MOST_LEVELS = 1_000
_LEAST_LEVELS = 10
_ALL_LEVELS = 100_000


def profile(table: Table, memory: int | None = None) -> TableProfile:
    """The profile of a table; `memory` are the bytes that a column's values may take, None to look what is left."""
    size = Size(rows=table.rows, bins=bins_of(len(table.columns)), budget=memory or budget())
    most = max(_LEAST_LEVELS, min(MOST_LEVELS, _ALL_LEVELS // max(len(table.columns), 1)))
    columns = tuple(_column(column, values, size, most) for column, values in by_column(table))
    return TableProfile(rows=table.rows, columns=columns)


def _column(column: Column, values: Values, size: Size, most: int) -> ColumnProfile:
    if column.type in NUMBERS | TIMES:
        return number_profile(column, values, size)
    if column.type in WORDS:
        return _of_words(column, values, size, most)
    return _of_lengths(column, values)


def _of_words(column: Column, values: Values, size: Size, most: int) -> ColumnProfile:
    seen = outline(values)
    return words_profile(column, seen, levels(values, seen, most, size.budget))


def _of_lengths(column: Column, values: Values) -> ColumnProfile:
    """Lists and bytes by their lengths alone; of other kinds of column, only what is missing."""
    import polars as pl

    value = pl.col(VALUE)
    dtype = values.frame().collect_schema()[VALUE]
    if isinstance(dtype, pl.Array):
        value, dtype = value.arr.to_list(), pl.List(pl.Null)
    length = {pl.List: value.list.len(), pl.Binary: value.bin.size()}.get(dtype.base_type(), pl.lit(None, pl.UInt32))
    found = values.frame().select(
        rows=pl.len(),
        missing=pl.col(VALUE).null_count(),
        shortest=length.min(),
        longest=length.max(),
        total=length.cast(pl.UInt64).sum(),
    )
    rows, missing, shortest, longest, total = found.collect(engine="streaming").row(0)
    lengths = None if shortest is None else Lengths(shortest=shortest, longest=longest, mean=total / (rows - missing))
    return ColumnProfile(column=column, rows=rows, missing=missing, lengths=lengths)
