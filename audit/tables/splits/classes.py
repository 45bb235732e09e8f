"""The classes of each split, counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.splits import AskClasses, ClassCounts, Classes, Part
from audit.records.table import Column, ColumnType
from audit.tables.splits.groups import identity
from audit.tables.splits.splits import SPLIT, Splits, named

if TYPE_CHECKING:
    import polars as pl

MOST = 10_000
"""So many classes a column can have; beyond, it is no label."""


def classes(parts: Sequence[Part], split_column: str, wish: AskClasses) -> Classes:
    """Count each class of each split; with no column, only the rows. Raises `CannotLook` for a column of no classes."""
    splits = Splits(parts, split_column)
    if not wish.column:
        sizes, unsplit = splits.counted()
        counts = (
            ClassCounts(split=one.name, subject=one.subject, counts=(), missing=one.size)
            for one in splits.shares(sizes)
        )
        return Classes(splits=tuple(counts), unit="row", unsplit=unsplit)
    found, missing, unsplit = _counts(splits, wish.column)
    text = {piece.column(wish.column).type for piece in splits.pieces} & {ColumnType.STRING, ColumnType.CATEGORICAL}
    return Classes(
        splits=tuple(
            ClassCounts(
                split=name,
                subject=splits.subject(name),
                counts=tuple(sorted(found[name].items())),
                missing=missing[name],
            )
            for name in splits.names
        ),
        unit="row",
        text=bool(text),
        unsplit=unsplit,
    )


def _counts(splits: Splits, column: str) -> tuple[dict[str, dict[str, int]], dict[str, int], int]:
    """The rows of each class by split; those without a class; those without a split."""
    import polars as pl

    frames = [piece.table.frame.select(splits.code(piece), _label(piece.column(column))) for piece in splits.pieces]
    counted = pl.concat(frames).group_by(SPLIT, "id").agg(pl.len().alias("n"))
    rows = counted.collect(engine="streaming")
    if (several := rows["id"].n_unique()) > MOST:
        raise CannotLook(f"column {column!r} has {several:,} values: it is no label of classes")
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    missing: defaultdict[str, int] = defaultdict(int)
    unsplit = 0
    for code, name, count in rows.iter_rows():
        if code is None:
            unsplit += count
        elif name is None:
            missing[splits.names[code]] += count
        else:
            found[splits.names[code]][name] = count
    return found, missing, unsplit


def _label(column: Column) -> pl.Expr:
    """A class as it is written: spaces count, so that " cat" and "cat" are told apart."""
    import polars as pl

    if column.type is ColumnType.FLOAT:
        return identity(column)
    text = named(column.name).cast(pl.String, strict=False)
    return pl.when(text == "").then(None).otherwise(text).alias("id")
