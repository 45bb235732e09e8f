"""Two columns of levels, measured against each other: words, categories, booleans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from audit.measures import jensen_shannon, psi, shares
from audit.records.drift import Levels, Pair, Side, Test
from audit.tables.pair import sketch
from audit.tables.pair.gaps import gaps, with_gaps
from audit.tables.pair.values import Counts, together

if TYPE_CHECKING:
    import numpy as np

FEWEST_NAMES = 30
"""So many words must differ before a column of them is taken for free text or identifiers."""

MOST_DISTINCT = 0.5
"""Up to this share of distinct words a column's values are levels."""

SEED = 20_240_229
"""Of the permutation test; the same for every column, so that none depends on the others."""

_SHOWN = 5


class Found(NamedTuple):
    """A measured pair, and how many rows of both sides each level has, for what a test of them could detect."""

    pair: Pair
    totals: np.ndarray | None = None


def measured(column: str, a: Counts, b: Counts, below: float) -> Found:
    """All that is known of the pair; `below` is the strictest level that a p-value may have to pass."""
    levels, x, y = together(a, b)
    drawing, low, high = sketch.of_levels(levels, x, y)
    both = bool(x.sum() and y.sum())
    pair = Pair(
        column=column,
        kind="category",
        reference=_side(a, x, low),
        current=_side(b, y, high),
        tests=(*(_mix(x, y, below) if both else ()), *gaps(a, b)),
        psi=psi.psi(x, y) if both else None,
        psi_missing=with_gaps(a, b, x, y),
        jensen_shannon=jensen_shannon.distance(x, y) if both else None,
        unseen=_only(levels, y, x, b.rows),
        vanished=_only(levels, x, y, a.rows),
        drawing=drawing if levels else None,
    )
    return Found(pair, x + y)


def are_names(*sides: Counts) -> bool:
    """Whether words name rows, or are sentences, rather than levels: most of them differ, on either side."""
    return any(
        len(side.frame) > max(FEWEST_NAMES, MOST_DISTINCT * (side.rows - side.missing - side.nan)) for side in sides
    )


def _mix(x: np.ndarray, y: np.ndarray, below: float) -> tuple[Test, ...]:
    p, how = shares.p_value(x, y, below=below, seed=SEED)
    effect = shares.total_variation(x, y)
    return (Test(name="total_variation", effect=effect, p=p, how=how, sizes=(int(x.sum()), int(y.sum()))),)


def news(a: Counts, b: Counts) -> tuple[Levels, Levels]:
    """Levels that are unseen, and those that vanished."""
    levels, x, y = together(a, b)
    return _only(levels, y, x, b.rows), _only(levels, x, y, a.rows)


def _only(levels: list[str], here: np.ndarray, there: np.ndarray, of: int) -> Levels:
    """The levels that have rows here and none there, the commonest first."""
    import numpy as np

    alone = np.flatnonzero((here > 0) & (there == 0))
    first = alone[np.argsort(-here[alone], kind="stable")][:_SHOWN]
    some = tuple((sketch.shortened(levels[place]), int(here[place])) for place in first)
    return Levels(count=len(alone), rows=int(here[alone].sum()), of=of, some=some)


def _side(side: Counts, rows: np.ndarray, heights: tuple[int, ...]) -> Side:
    import numpy as np

    distinct = int(np.count_nonzero(rows))
    return Side(rows=side.rows, missing=side.missing, nan=side.nan, distinct=distinct, sketch=heights)
