"""Columns that differ in every row, so that no two rows could be equal: row numbers, and perhaps identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from audit.records.table import ColumnType
from audit.tables.splits.splits import Piece, Splits, named

if TYPE_CHECKING:
    import polars as pl

_FEWEST = 50
"""Rows from which on a feature is not all different by chance."""

_DENSE = 2
_NEARLY = 0.5
"""The estimate of distinct values may be off by a tenth; fewer than half cannot be all."""


class Ids(NamedTuple):
    """Columns that number the rows, and others that differ in every row of each table."""

    numbers: tuple[str, ...]
    distinct: tuple[str, ...]


def identifiers(splits: Splits, columns: Sequence[str]) -> Ids:
    """Look at whole numbers and short texts; small tables tell nothing.

    A column numbers the rows if its whole numbers all differ within each table and lie
    densely: their range, in each table or over all, is at most twice as long as there are rows.
    """
    if max(piece.table.rows for piece in splits.pieces) < _FEWEST:
        return Ids((), ())
    able = [name for name in columns if all(_able(piece, name) for piece in splits.pieces)]
    distinct = [name for name in able if all(_distinct(piece, name) for piece in splits.pieces)]
    numbers = tuple(name for name in distinct if _whole(splits, name) and _dense(splits, name))
    return Ids(numbers, tuple(name for name in distinct if name not in numbers))


def _able(piece: Piece, name: str) -> bool:
    return piece.column(name).type in {ColumnType.INTEGER, ColumnType.STRING}


def _whole(splits: Splits, name: str) -> bool:
    return all(piece.column(name).type is ColumnType.INTEGER for piece in splits.pieces)


def _distinct(piece: Piece, name: str) -> bool:
    """Whether all rows differ; an estimate spares most columns the exact count."""
    import numpy as np

    frame, rows = piece.table.frame, piece.table.rows
    if _one(frame.select(named(name).approx_n_unique())) < _NEARLY * rows:
        return False
    hashes = np.sort(frame.select(named(name).hash(0).alias("h")).collect(engine="streaming")["h"].to_numpy())
    return not bool((hashes[1:] == hashes[:-1]).any())


def _dense(splits: Splits, name: str) -> bool:
    ends = [
        (_one(frame.select(named(name).min())), _one(frame.select(named(name).max())), piece.table.rows)
        for piece in splits.pieces
        for frame in [piece.table.frame]
    ]
    known = [(low, high, rows) for low, high, rows in ends if rows]
    total = sum(rows for _, _, rows in known)
    span = max(high for _, high, _ in known) - min(low for low, _, _ in known) + 1
    return span <= _DENSE * total or all(high - low + 1 <= _DENSE * rows for low, high, rows in known)


def _one(frame: pl.LazyFrame) -> int:
    return int(frame.collect(engine="streaming").item() or 0)
