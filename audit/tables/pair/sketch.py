"""Small pictures of two distributions over the same bins or levels: shares to draw, and sketches of 12 heights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from audit.records.drift import Drawing

if TYPE_CHECKING:
    import numpy as np

BINS = 30
"""Bins of a drawing of numbers or times."""

HEIGHTS = 12
"""Heights of a sketch."""

MOST_LEVELS = 20
"""Levels that a drawing names; the rest are drawn together as `other`."""

OTHER = "other"
_TOP = 99
_LONGEST = 60
_TAILS = (0.005, 0.995)


def of_numbers(a: np.ndarray, b: np.ndarray) -> tuple[Drawing | None, tuple[int, ...], tuple[int, ...]]:
    """Drawing and sketches of two ascending arrays of finite numbers; nothing where there is nothing to draw.

    The bins are of equal width between the values that hold 99 % of both sides, so that a few values far out
    do not press the rest into one bin; the outer bins hold all that lies beyond.
    """
    edges = _edges(a, b, BINS)
    if edges is None:
        return None, (), ()
    drawing = Drawing(reference=_shares(a, edges), current=_shares(b, edges), edges=tuple(map(float, edges)))
    few = _edges(a, b, HEIGHTS)
    low, high = heights(_shares(a, few), _shares(b, few)) if few is not None else ((), ())
    return drawing, low, high


def of_levels(
    levels: list[str], a: np.ndarray, b: np.ndarray
) -> tuple[Drawing | None, tuple[int, ...], tuple[int, ...]]:
    """Drawing and sketches of counts of levels, the commonest of both sides first."""
    import numpy as np

    p, q = a / max(int(a.sum()), 1), b / max(int(b.sum()), 1)
    order = np.argsort(-(p + q), kind="stable")
    first, rest = order[:MOST_LEVELS], order[MOST_LEVELS:]
    names = [shortened(levels[place]) for place in first] + ([OTHER] if len(rest) else [])
    reference = [*p[first], *([p[rest].sum()] if len(rest) else [])]
    current = [*q[first], *([q[rest].sum()] if len(rest) else [])]
    drawing = Drawing(reference=_short(reference), current=_short(current), labels=tuple(names))
    return drawing, *heights(tuple(p[order[:HEIGHTS]]), tuple(q[order[:HEIGHTS]]))


def heights(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shares as whole numbers from 0 to 99, the largest of both sides being 99."""
    top = max((*a, *b), default=0.0) or 1.0
    return tuple(round(_TOP * share / top) for share in a), tuple(round(_TOP * share / top) for share in b)


def shortened(level: str) -> str:
    """The level as a label, its end cut off where it is long."""
    return level if len(level) <= _LONGEST else f"{level[: _LONGEST - 1]}…"


def _edges(a: np.ndarray, b: np.ndarray, bins: int) -> np.ndarray | None:
    """Ascending edges, or None where the values lie too far apart or too close for any."""
    import numpy as np

    sides = [side for side in (a, b) if len(side)]
    if not sides:
        return None
    low = min(float(side[int(_TAILS[0] * (len(side) - 1))]) for side in sides)
    high = max(float(side[-1 - int((1 - _TAILS[1]) * (len(side) - 1))]) for side in sides)
    if low == high:
        low, high = low - (abs(low) / 2 or 0.5), high + (abs(high) / 2 or 0.5)
    with np.errstate(all="ignore"):
        edges = np.linspace(low, high, bins + 1)
    return edges if np.isfinite(edges).all() and (np.diff(edges) > 0).all() else None


def _shares(ascending: np.ndarray, edges: np.ndarray) -> tuple[float, ...]:
    """Edges take the type of the values, which spares numpy a copy of all of them as floats."""
    import numpy as np

    inner = edges[1:-1]
    if ascending.dtype.kind != "f":
        bounds = np.iinfo(ascending.dtype)
        inner = np.array([min(max(math.ceil(edge), bounds.min), bounds.max) for edge in inner])
    counts = np.diff(np.searchsorted(ascending, inner.astype(ascending.dtype)), prepend=0, append=len(ascending))
    return _short(counts / max(len(ascending), 1))


def _short(shares: object) -> tuple[float, ...]:
    """Six digits draw as well as sixteen."""
    import numpy as np

    return tuple(float(f"{share:.6g}") for share in np.asarray(shares))
