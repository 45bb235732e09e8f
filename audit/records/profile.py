"""What a table looks like, column by column: the numbers that stand for its values.

A profile is exact unless it says otherwise, and is a function of the rows alone: their
order, the format of the file, its row groups and the number of workers do not show in it.
"""

from __future__ import annotations

from audit.records.base import Record
from audit.records.table import Column

PROBABILITIES: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)
"""Where `ColumnProfile.quantiles` are taken."""

FEWEST = 20
"""Rows that a bin has at least, and that a level has which a lock may hold."""


class Bins(Record):
    """How many values lie between ascending, finite `edges`: one count more than there are edges.

    `counts[0]` are the values x < edges[0], `counts[i]` those with edges[i-1] <= x < edges[i],
    and the last those with x >= edges[-1]; without an edge all values are in one bin. A value
    is compared as float64: integers rounded to the nearest, times as seconds (a timestamp's
    since 1970-01-01 in UTC, or in the clock that it is naive of; a date's first second; a
    time's since midnight). Missing values, NaN and the infinities are in no bin. Counts over
    the same edges add up exactly.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]


class Level(Record):
    """A value of a column of words or booleans (`true`, `false`), and how many rows have it.

    In a profile with a `salt`, `value` is its keyed hash (`audit.formats.keyed`). A value of
    more than 100 characters stands as its first 32, an ellipsis and its BLAKE3.
    """

    value: str
    rows: int


class Lengths(Record):
    """Characters of words, bytes of binary values, items of lists: over all values that are not missing."""

    shortest: int
    longest: int
    mean: float


class ColumnProfile(Record):
    """One column.

    `rows` are all of the table. `missing` are null; `nan` and `infinite` (both signs;
    `negative_infinite` the one) are apart from them and from each other; what remains of
    numbers are the finite values, n of them. `distinct` counts distinct finite values, or
    distinct words; None where it is not known.

    `minimum` and `maximum` are exact (integers as Python's; times as integers in the column's
    `unit`, dates in days, with ISO 8601 beside them in `earliest` and `latest`). `mean` and
    `deviation` (of the sample: divided by n - 1; None if n < 2) are of the finite numbers.
    `quantiles` are values of the column at `PROBABILITIES`, by the inverse of the empirical
    distribution (type 1 of Hyndman and Fan 1996: the value of rank ceil(p n)); empty if n = 0.

    `bins` are of numbers and times: at most 256, cut at the column's quantiles, each edge
    rounded by at most a twentieth of its distance to the next, each bin of `FEWEST` rows or
    more (or all of them). A value that fills a bin by itself has one, from the value to the
    next possible one; beside such bins there may be empty ones. `levels` are the most
    frequent words, by falling rows and then by value, 1,000 at most (fewer in a table of more
    than 100 columns); `tail_levels` and `tail_rows` are the rest.

    `binned` marks a column of which no more is known than is written here, as in a lock:
    what is None or empty was left out, and effects can be computed on its bins alone.
    """

    column: Column
    rows: int
    missing: int
    nan: int = 0
    infinite: int = 0
    negative_infinite: int = 0
    distinct: int | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    earliest: str = ""
    latest: str = ""
    mean: float | None = None
    deviation: float | None = None
    quantiles: tuple[int | float, ...] = ()
    bins: Bins | None = None
    levels: tuple[Level, ...] = ()
    tail_levels: int = 0
    tail_rows: int = 0
    lengths: Lengths | None = None
    binned: bool = False

    @property
    def finite(self) -> int:
        """Values that are neither missing, nor NaN, nor infinite."""
        return self.rows - self.missing - self.nan - self.infinite


class TableProfile(Record):
    """A table's rows and columns, in the table's order. `salt` (hex) is the key of hashed levels; empty if plain."""

    rows: int
    columns: tuple[ColumnProfile, ...]
    salt: str = ""

    def column(self, name: str) -> ColumnProfile | None:
        """The profile of the column of that name, if there is one."""
        return next((one for one in self.columns if one.column.name == name), None)
