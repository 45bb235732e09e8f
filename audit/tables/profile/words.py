"""How many rows have each value of a column of words or booleans, exactly and in bounded memory.

Where there are more distinct values than fit into memory, the column is read several
times, each time for the values whose hash falls into one part: the hash decides only
when a value is counted, so nothing of it shows in the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from audit.formats.words import shown
from audit.records.profile import ColumnProfile, Lengths, Level
from audit.records.table import Column, ColumnType
from audit.tables.values import VALUE, Held, Values

if TYPE_CHECKING:
    import polars as pl

ROWS = "rows"
_PARTS = 1024
_ENTRY = 160
"""Bytes that polars needs for a distinct value beside its text, measured."""


class Outline(NamedTuple):
    """A column of words from afar: rows, missing ones, characters (shortest, longest, all) and about how many bytes."""

    rows: int
    missing: int
    shortest: int
    longest: int
    characters: int
    size: int
    kinds: int


class Levels(NamedTuple):
    """The most frequent values, and how many others there are on how many rows."""

    distinct: int
    top: tuple[Level, ...]
    tail_levels: int
    tail_rows: int


def outline(values: Values) -> Outline:
    """Read a column once."""
    import polars as pl

    word = pl.col(VALUE)
    characters = word.str.len_chars()
    found = (
        _words(values)
        .select(
            rows=pl.len(),
            missing=word.null_count(),
            shortest=characters.min().fill_null(0),
            longest=characters.max().fill_null(0),
            characters=characters.cast(pl.UInt64).sum(),
            size=word.str.len_bytes().cast(pl.UInt64).sum(),
            kinds=pl.lit(0) if isinstance(values, Held) else word.approx_n_unique(),
        )
        .collect(engine=_engine(values))
    )
    return Outline(*(int(one) for one in found.row(0)))


def levels(values: Values, seen: Outline, most: int, budget: int) -> Levels:
    """The `most` frequent values, by falling rows and then by value."""
    distinct, kept = 0, None
    for counts in counted(values, seen, budget):
        distinct += counts.height
        kept = _top(counts if kept is None else kept.vstack(counts), most)
    top = [] if kept is None else [Level(value=shown(value), rows=rows) for value, rows in kept.iter_rows()]
    rest = seen.rows - seen.missing - sum(one.rows for one in top)
    return Levels(distinct, tuple(top), distinct - len(top), rest)


def words_profile(column: Column, seen: Outline, found: Levels) -> ColumnProfile:
    """The profile of a column of words; booleans have no lengths."""
    present = seen.rows - seen.missing
    lengths = None
    if present and column.type is not ColumnType.BOOLEAN:
        lengths = Lengths(shortest=seen.shortest, longest=seen.longest, mean=seen.characters / present)
    return ColumnProfile(
        column=column,
        rows=seen.rows,
        missing=seen.missing,
        distinct=found.distinct,
        levels=found.top,
        tail_levels=found.tail_levels,
        tail_rows=found.tail_rows,
        lengths=lengths,
    )


def counted(values: Values, seen: Outline, budget: int) -> Iterator[pl.DataFrame]:
    """Distinct values that are not missing (`VALUE`) and their `ROWS`, in frames that share none."""
    import polars as pl

    each = _ENTRY + seen.size // max(seen.rows - seen.missing, 1)
    parts = 1 if isinstance(values, Held) else min(_PARTS, 1 + 2 * seen.kinds * each // budget)
    words = _words(values).filter(pl.col(VALUE).is_not_null())
    for part in range(parts):
        some = words if parts == 1 else words.filter(pl.col(VALUE).hash(1) % parts == part)
        counts = some.group_by(VALUE).agg(pl.len().cast(pl.Int64).alias(ROWS))
        yield counts.collect(engine=_engine(values))


def _engine(values: Values) -> Literal["in-memory", "streaming"]:
    return "in-memory" if isinstance(values, Held) else "streaming"


def _words(values: Values) -> pl.LazyFrame:
    """As strings: booleans are `true` and `false`."""
    import polars as pl

    return values.frame().select(pl.col(VALUE).cast(pl.String))


def _top(counts: pl.DataFrame, most: int) -> pl.DataFrame:
    import polars as pl

    if counts.height > most:
        least = counts.get_column(ROWS).top_k(most).min()
        over = counts.filter(pl.col(ROWS) > least)
        level = counts.filter(pl.col(ROWS) == least).bottom_k(most - over.height, by=VALUE)
        counts = over.vstack(level)
    return counts.sort([ROWS, VALUE], descending=[True, False])
