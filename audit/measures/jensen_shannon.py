"""The Jensen-Shannon distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def distance(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """The distance between the shares of the same bins or levels, to base 2, so in [0, 1].

    The square root of the mean of both sides' Kullback-Leibler divergences, in bits, from their mean
    (Lin 1991; a metric: Endres and Schindelin 2003). It equals `scipy.spatial.distance.jensenshannon(a, b,
    base=2)`; the *divergence* that TensorFlow Data Validation limits is its square. Raises `ValueError`
    where a side has no rows.
    """
    import numpy as np

    if a.sum() <= 0 or b.sum() <= 0:
        raise ValueError("a comparison needs at least one row on each side")
    p, q = a / a.sum(), b / b.sum()
    middle = (p + q) / 2
    divergence = (_information(p, middle) + _information(q, middle)) / 2
    return float(np.sqrt(min(1.0, max(0.0, divergence))))


def _information(p: NDArray[np.float64], middle: NDArray[np.float64]) -> float:
    import numpy as np

    held = p > 0
    return float((p[held] * np.log2(p[held] / middle[held])).sum())
