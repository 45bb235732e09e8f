"""The shape of a table: its rows and columns, what is missing in them, and the levels of those that have few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from audit.records.shape import EXACT, MAX_LEVEL, MAX_LEVELS, ColumnShape, LevelCount, Shape
from audit.records.table import Column, ColumnType
from audit.tables.names import nameless
from audit.tables.reading import sound
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE = 500  # columns of one pass
_CELLS = 4_000_000  # values that are in memory at once, where more than one column is
_PREFIX = 100_000  # rows that mostly show already that there are too many levels
_ROOM = 4 << 20  # characters of all levels of a table
_LEVELLED = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL, ColumnType.BOOLEAN})


def shape(table: Table) -> Shape:
    """Count, one pass over some columns at a time; the memory is that of one column, or of `_CELLS` values."""
    sound.check(table.source)
    counted = [one for some in _batches(table.columns, _AT_ONCE) for one in _counted(table, some)]
    levels = _levels(table, [one for one in table.columns if one.type in _LEVELLED])
    return Shape(
        rows=table.rows,
        columns=tuple(_with_levels(one, levels) for one in counted),
        remarks=table.source.remarks,
    )


def _batches(columns: Sequence[Column], size: int) -> Iterator[tuple[Column, ...]]:
    rest = iter(columns)
    while some := tuple(islice(rest, size)):
        yield some


def _counted(table: Table, columns: Sequence[Column]) -> Iterator[ColumnShape]:
    import polars.selectors as cs

    schema = table.frame.collect_schema()
    asked: list[pl.Expr] = []
    for number, column in enumerate(columns):
        values = cs.by_name(column.name).as_expr()
        asked.append(values.null_count().alias(f"missing {number}"))
        if schema[column.name].is_float():
            exact = (values == values.floor()) & (values.abs() < EXACT)
            asked.append(values.is_nan().sum().alias(f"nan {number}"))
            asked.append((exact | values.is_nan()).all().alias(f"whole {number}"))
    found = table.frame.select(asked).collect(engine="streaming").row(0, named=True)
    for number, column in enumerate(columns):
        yield ColumnShape(
            column=column,
            missing=int(found[f"missing {number}"]),
            nan=int(found.get(f"nan {number}") or 0),
            whole=bool(found.get(f"whole {number}", False)),
        )


def _with_levels(one: ColumnShape, levels: dict[str, tuple[LevelCount, ...] | None]) -> ColumnShape:
    import msgspec

    if one.column.name not in levels:
        crowded = one.column.type in _LEVELLED
        return msgspec.structs.replace(one, crowded=crowded)
    return msgspec.structs.replace(one, levels=levels[one.column.name])


def _levels(table: Table, columns: Sequence[Column]) -> dict[str, tuple[LevelCount, ...] | None]:
    """The levels by column; None for more than are counted. Once all take too much room, the rest is left out."""
    found: dict[str, tuple[LevelCount, ...] | None] = {}
    room = _ROOM
    for some in _batches(columns, max(1, min(_AT_ONCE, _CELLS // max(1, table.rows)))):
        frame = table.select([one.name for one in some])
        for column in some:
            levels = _few(nameless(frame.get_column(column.name)))
            room -= sum(len(one.value) + 20 for one in levels or ())
            if room < 0:
                return found
            found[column.name] = levels
    return found


def _few(series: pl.Series) -> tuple[LevelCount, ...] | None:
    """The levels, most frequent first, equals in the order of their words; None if there are too many, or too long."""
    import polars as pl

    for some in (series.head(_PREFIX), series):
        if some.n_unique() > MAX_LEVELS + 1:  # one of them may be null
            return None
    counts = series.value_counts(name="rows").drop_nulls()
    words = counts.get_column("").cast(pl.String)
    if words.len() > MAX_LEVELS or (words.str.len_chars().max() or 0) > MAX_LEVEL:  # type: ignore[operator]
        return None
    pairs = zip(words.to_list(), counts.get_column("rows").to_list(), strict=True)
    return tuple(LevelCount(value=word, rows=rows) for word, rows in sorted(pairs, key=lambda one: (-one[1], one[0])))
