"""The population stability index, and the bins it is taken over."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMOOTHING = 1e-4


def psi(a: NDArray[np.int64], b: NDArray[np.int64], smoothing: float = SMOOTHING) -> float:
    """Sum of (q_k - p_k) log(q_k / p_k) over the shares of the same bins or levels, in nats; at least 0.

    A share of zero is replaced by `smoothing`, without rescaling the others, as evidently does with 0.0001
    (its `calculate_psi`, `feel_zeroes`); every other share stays as it is. The index is that of credit scoring
    (Siddiqi 2006, "Credit Risk Scorecards": below 0.1 stable, above 0.25 shifted), and Jeffreys' divergence.
    Raises `ValueError` where a side has no rows.
    """
    import numpy as np

    p, q = _shares(a, smoothing), _shares(b, smoothing)
    return float(((q - p) * np.log(q / p)).sum())


def decile_edges(ascending: NDArray[np.float64 | np.int64]) -> NDArray[np.float64 | np.int64]:
    """Unique upper edges of the bins of about a tenth of the rows each, as observed values, ascending.

    There is one bin more than edges: up to and including an edge, and above the last. Values that hold more
    than a tenth of the rows give fewer bins. Raises `ValueError` for no rows.
    """
    import numpy as np

    if not len(ascending):
        raise ValueError("deciles need at least one row")
    ranks = -(-np.arange(1, 10) * len(ascending) // 10) - 1
    return np.unique(ascending[ranks])


def counts(ascending: NDArray[np.float64 | np.int64], edges: NDArray[np.float64 | np.int64]) -> NDArray[np.int64]:
    """How many of the values, which ascend, lie in each of the bins of `decile_edges`."""
    import numpy as np

    return np.diff(np.searchsorted(ascending, edges, side="right"), prepend=0, append=len(ascending))


def expected(n: int, m: int, bins: int) -> float:
    """The index to expect from `n` and `m` rows of one distribution: (bins - 1)(1/n + 1/m).

    It is near a chi-squared variable of bins - 1 degrees of freedom times 1/n + 1/m (Yurdakul 2018,
    "Statistical properties of population stability index", Western Michigan University).
    """
    return (bins - 1) * (1.0 / n + 1.0 / m)


def _shares(rows: NDArray[np.int64], smoothing: float) -> NDArray[np.float64]:
    import numpy as np

    total = int(rows.sum())
    if total <= 0:
        raise ValueError("a comparison needs at least one row on each side")
    return np.where(rows > 0, rows / total, smoothing)
