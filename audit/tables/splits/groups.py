"""Groups of rows (patients, speakers, users) that lie in several splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.measures.grouping import alike
from audit.measures.ids import normalised
from audit.records.splits import AskGroups, Groups, Part, SharedGroup
from audit.records.table import Column, ColumnType
from audit.tables.splits.splits import SPLIT, Splits, named

if TYPE_CHECKING:
    import polars as pl

_FIRST = 40
_COMPARED = 200_000
"""So many ids are held against each other for such as look alike."""


def groups(parts: Sequence[Part], split_column: str, wish: AskGroups) -> Groups:
    """Count the rows of each group in each split. Raises `CannotLook` where a table has no such column."""
    import polars as pl

    splits = Splits(parts, split_column)
    counts = _counts(splits, wish)
    sizes = [_sum(counts.filter(pl.col(SPLIT) == code)) for code in range(len(splits.names))]
    split = counts.filter(pl.col(SPLIT).is_not_null())
    grouped, without = split.filter(pl.col("id").is_not_null()), split.filter(pl.col("id").is_null())
    each = grouped.group_by("id").agg(pl.len().alias("splits"), pl.col("n").sum())
    shared = each.filter(pl.col("splits") > 1)
    spread = grouped.join(shared.select("id"), on="id", how="semi")
    return Groups(
        splits=splits.shares(sizes),
        unit="row",
        distinct=each.height,
        shared=shared.height,
        over=spread[SPLIT].n_unique(),
        rows=_sum(shared),
        total=_sum(grouped),
        first=tuple(_first(splits, spread, sorted(shared["id"].to_list())[:_FIRST])),
        missing=tuple((splits.names[code], rows) for code, rows in sorted(without.select(SPLIT, "n").iter_rows())),
        alike=alike(_by_name(grouped)) if each.height <= _COMPARED else (),
        unsplit=_sum(counts) - _sum(split),
    )


def _counts(splits: Splits, wish: AskGroups) -> pl.DataFrame:
    """The rows `n` of each split and `id`, either of them null where there is none."""
    import polars as pl

    frames = [
        piece.table.frame.select(splits.code(piece), identity(piece.column(wish.column))) for piece in splits.pieces
    ]
    found = pl.concat(frames).group_by(SPLIT, "id").agg(pl.len().alias("n")).collect(engine="streaming")
    if not wish.normalise:
        return found
    said = found["id"].unique().drop_nulls()
    meant = pl.Series([normalised(name, wish.normalise) or None for name in said.to_list()], dtype=pl.String)
    told = found.with_columns(pl.col("id").replace_strict(said, meant, default=None))
    return told.group_by(SPLIT, "id").agg(pl.col("n").sum())


def _sum(counts: pl.DataFrame) -> int:
    return int(counts["n"].sum())


def _by_name(grouped: pl.DataFrame) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for code, name, rows in grouped.select(SPLIT, "id", "n").iter_rows():
        counts.setdefault(name, {})[str(code)] = rows
    return counts


def _first(splits: Splits, spread: pl.DataFrame, names: Sequence[str]) -> Iterator[SharedGroup]:
    import polars as pl

    found = _by_name(spread.filter(pl.col("id").is_in(names)))
    for name in names:
        rows = sorted((int(code), count) for code, count in found[name].items())
        yield SharedGroup(name=name, rows=tuple((splits.names[code], count) for code, count in rows))


def identity(column: Column) -> pl.Expr:
    """An id as trimmed text, called `id`: null where it is empty; a whole number is written as such, float or not."""
    import polars as pl

    value = named(column.name)
    if column.type is ColumnType.FLOAT:
        number = value.cast(pl.Float64).fill_nan(None)
        whole = number.cast(pl.Int64, strict=False)
        text = pl.when(whole.cast(pl.Float64) == number).then(whole.cast(pl.String)).otherwise(number.cast(pl.String))
        return text.alias("id")
    text = value.cast(pl.String, strict=False).str.strip_chars()
    return pl.when(text == "").then(None).otherwise(text).alias("id")
