"""The largest gap between two empirical distribution functions, without looking at every value.

Branch and bound: every so many values of the smaller side are searched for in the larger. Between two of these
both functions only rise, so the gap inside is bounded by the values at both ends; only where that bound exceeds
the largest gap seen so far are the values between searched for too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PER_ROOT = 8  # cells of sqrt(rows) / 8 values: bounds are then tight against the gap that chance makes
_AT_ONCE = 32  # cells looked into before the bounds are compared again; twice as many each time


def largest_gap(large: NDArray[Any], small: NDArray[Any]) -> int:
    """Largest |F - G|, in units of 1 / (rows x rows), exact; both sides ascend, hold no NaN, have rows and one type.

    F stands still between two values of the smaller side while the other rises, so the extremes lie just
    before and at those values.
    """
    import numpy as np

    n, m, size = len(large), len(small), max(1, math.isqrt(len(small)) // _PER_ROOT)
    first = np.arange(0, m, size, dtype=np.int64)
    before, at = _places(large, small[first])
    best = _largest(before, at, first, n, m)
    reach = np.append(before[1:], np.searchsorted(large, small[-1], side="left"))
    most = np.maximum(reach * m - first * n, np.minimum(first + size, m) * n - at * m)
    order = np.argsort(-most, kind="stable")
    done, some = 0, _AT_ONCE
    while done < len(order) and most[order[done]] > best:
        cells = order[done : done + some]
        ranks = (np.sort(first[cells])[:, None] + np.arange(1, size, dtype=np.int64)).ravel()
        ranks = ranks[ranks < m]
        best = max(best, _largest(*_places(large, small[ranks]), ranks, n, m))
        done, some = done + some, some * 2
    return best


def _places(large: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many values of the larger side are smaller than each, and how many at most as large."""
    import numpy as np

    return np.searchsorted(large, values, side="left"), np.searchsorted(large, values, side="right")


def _largest(before: NDArray[Any], at: NDArray[Any], ranks: NDArray[Any], n: int, m: int) -> int:
    """The largest gap just before and at the values of these ranks of the smaller side."""
    below, above = before * m - ranks * n, (ranks + 1) * n - at * m
    return max(int(below.max(initial=0)), int(above.max(initial=0)))
