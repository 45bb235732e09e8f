"""The Wasserstein (earth mover's) distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK = 1 << 15  # rows at a time, which stay in the processor's cache


def distance(a: NDArray[np.float64 | np.int64], b: NDArray[np.float64 | np.int64]) -> float:
    """How far, in the column's unit, rows must move on average to turn one side into the other.

    `a` and `b` ascend and are finite. It equals `scipy.stats.wasserstein_distance`, the area between both
    distribution functions, and is summed as the area between both quantile functions: each row of the larger
    side against the one or two rows of the smaller that share its ranks, without sorting or searching again.
    Raises `ValueError` where a side is empty.
    """
    if not len(a) or not len(b):
        raise ValueError("a comparison needs at least one row on each side")
    large, small = (a, b) if len(a) >= len(b) else (b, a)
    return sum(_moved(large, small, start) for start in range(0, len(large), _CHUNK)) / (len(a) * len(b))


def _moved(large: NDArray[np.float64 | np.int64], small: NDArray[np.float64 | np.int64], start: int) -> float:
    """The way of some rows of the larger side; one of its rows weighs as many units as the smaller has rows."""
    import numpy as np

    n, m = len(large), len(small)
    rows = large[start : start + _CHUNK].astype(np.float64)
    begin = np.arange(start, start + len(rows), dtype=np.int64) * m
    partner = begin // n
    second = np.maximum(begin + m - (partner + 1) * n, 0)
    way = np.abs(rows - small[partner]) * (m - second)
    way += np.abs(rows - small[np.minimum(partner + 1, m - 1)]) * second
    return float(way.sum())
