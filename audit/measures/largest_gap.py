"""The largest gap between two empirical distribution functions, without looking at every value.

Branch and bound: every so many values of the smaller side are searched for in the larger. Between two of these
both functions only rise, so the gap inside is bounded by the values at both ends; only where that bound exceeds
the largest gap seen so far are the values between searched for too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELL = 256  # values between two that are always searched for; measured fastest from 10^5 to 10^7 rows


def largest_gap(large: NDArray[Any], small: NDArray[Any]) -> int:
    """Largest |F - G|, in units of 1 / (rows x rows), exact; both sides ascend, hold no NaN, have rows and one type.

    F stands still between two values of the smaller side while the other rises, so the extremes lie just
    before and at those values.
    """
    import numpy as np

    n, m = len(large), len(small)
    first = np.arange(0, m, _CELL, dtype=np.int64)
    last = np.append(first[1:], m)
    marks = small[first]
    before, at = np.searchsorted(large, marks, side="left"), np.searchsorted(large, marks, side="right")
    best = max(0, int((before * m - first * n).max()), int(((first + 1) * n - at * m).max()))
    reach = np.append(before[1:], np.searchsorted(large, small[-1], side="left"))
    most = np.maximum(reach * m - first * n, last * n - at * m)
    for cell in np.argsort(-most, kind="stable"):
        if most[cell] <= best:
            break
        best = max(best, _inside(large, small, slice(int(first[cell]), int(last[cell])), int(before[cell])))
    return best


def _inside(large: NDArray[Any], small: NDArray[Any], cell: slice, start: int) -> int:
    """The largest gap at the values of one cell; none of them lies before row `start` of the larger side."""
    import numpy as np

    n, m, part = len(large), len(small), small[cell]
    near = large[start : int(np.searchsorted(large, part[-1], side="right"))]
    ranks: np.ndarray[Any, Any] = np.arange(cell.start, cell.stop, dtype=np.int64) * n
    below = (np.searchsorted(near, part, side="left") + start) * m - ranks
    above = ranks + n - (np.searchsorted(near, part, side="right") + start) * m
    return max(int(below.max()), int(above.max()))
