"""How many equal rows chance alone would make: coarse values repeat without any leak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.tables.splits.splits import SPLIT

if TYPE_CHECKING:
    import polars as pl

    from audit.tables.splits.splits import Splits

_ENOUGH = 30
_SAMPLE = 20_000


def coincidences(splits: Splits, values: Sequence[dict[str, pl.Expr]], earlier: int, size: int, others: int) -> float:
    """How many of `others` rows should equal one of `size` rows of the split `earlier`, were columns independent.

    Two rows drawn from the split agree in a column with the probability
    sum c (c - 1) / (n (n - 1)) over its values' counts c (the unbiased estimate of
    Simpson's index: Simpson, "Measurement of diversity", Nature 163, 1949), taken from at
    most 20,000 rows at even steps; in all columns with the product of these. 0 for fewer
    than 30 rows, which say nothing of how often values repeat.
    """
    if size < _ENOUGH:
        return 0.0
    agree = 1.0
    for name in values[0]:
        agree *= _agreement(splits, [each[name] for each in values], earlier, size)
        if agree * size * others < 1e-6:  # noqa: PLR2004 - what is not going to be seen
            return 0.0
    return min(float(others), others * size * agree)


def _agreement(splits: Splits, exprs: Sequence[pl.Expr], earlier: int, size: int) -> float:
    import polars as pl

    step = max(1, size // _SAMPLE)
    frames = [
        piece.table.frame.select(splits.code(piece), expr.alias("v"))
        .filter(pl.col(SPLIT) == earlier)
        .gather_every(step)
        for piece, expr in zip(splits.pieces, exprs, strict=True)
    ]
    counts = pl.concat(frames).group_by("v").agg(pl.len().cast(pl.Float64)).collect(engine="streaming")["len"]
    total = float(counts.sum())
    return float((counts * (counts - 1)).sum()) / (total * (total - 1)) if total > 1 else 0.0
