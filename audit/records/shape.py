"""What a table was found to be, for `table.schema`: its columns, and what broke an expectation."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.schema import ColumnRule
from audit.records.table import Column, Remark, Source

MAX_LEVELS = 1_000
"""Distinct values up to which a column of words or booleans has levels."""

MAX_LEVEL = 200
"""Characters of a value up to which it is a level."""

EXACT = 2**53
"""The integers up to which float64 holds every one (IEEE 754-2019, 3.6: 53 bits of significand)."""

SHOWN = 3
"""Offending rows that are named."""


class LevelCount(Record):
    """A value of a column, and how many rows have it."""

    value: str
    rows: int


class ColumnShape(Record):
    """A column, and how much of it is there.

    `missing` counts nulls, `nan` the NaN of a float column beside them. `whole` says of a
    column of floats that every value is a whole number of at most `EXACT`. `levels`, most
    frequent first, are those of a column of words or booleans; None if it has more than
    `MAX_LEVELS`, longer ones than `MAX_LEVEL`, or (then `crowded`) the table has too many in all.
    """

    column: Column
    missing: int
    nan: int = 0
    whole: bool = False
    levels: tuple[LevelCount, ...] | None = None
    crowded: bool = False

    @property
    def absent(self) -> int:
        """All values that are not there, in whichever way."""
        return self.missing + self.nan


class Shape(Record):
    """A table: its rows, its columns in their order, and what reading it met."""

    rows: int
    columns: tuple[ColumnShape, ...]
    remarks: tuple[Remark, ...] = ()

    def named(self) -> dict[str, ColumnShape]:
        """The columns by their names."""
        return {one.column.name: one for one in self.columns}


class Breach(Record):
    """An expectation about `columns` that does not hold.

    `count` of `of` values (or rows, or pairs of rows that follow each other) break it; the
    first of them at `rows` (1-based, in the order of the table), where `values` stand. Where
    it could not be held against the column at all, `unfit` says why; `blind` then marks that
    the expectation itself cannot be read.
    """

    columns: tuple[str, ...]
    kind: str
    count: int = 0
    of: int = 0
    rows: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    expected: str = ""
    unfit: str = ""
    blind: bool = False


class Keys(Record):
    """A foreign key: the columns here, the table that has the keys, its columns there, and what it is called."""

    columns: tuple[str, ...]
    source: Source
    to: tuple[str, ...]
    dataset: str


class Expected(Record):
    """What to hold a table against: rules of columns by name, keys, foreign keys, and columns that sum to one."""

    columns: tuple[tuple[str, ColumnRule], ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    sums: tuple[tuple[str, ...], ...] = ()
    tolerance: float = 1e-6
    references: tuple[Keys, ...] = ()
