"""The area under the ROC curve: how often a score puts a row of one side above a row of the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Z_80 = 0.8416212335729143
"""The normal quantile for a power of 80 %."""


class Area(NamedTuple):
    """An area and the variance of its estimate."""

    auc: float
    variance: float


def area(scores: NDArray[np.float64], positive: NDArray[np.bool_], clusters: NDArray[np.int64] | None = None) -> Area:
    """The area for scores, and its variance; both sides must have rows.

    auc = mean over pairs of [s+ > s-] + [s+ = s-] / 2, by midranks in n log n. The
    variance is that of the placements of both sides (E. DeLong, D. DeLong, D.
    Clarke-Pearson 1988, Biometrics 44, 837-845). With `clusters`, rows of one cluster
    depend on each other, and the placements are summed by cluster (N. Obuchowski 1997,
    "Nonparametric analysis of clustered ROC curve data", Biometrics 53, 567-578);
    clusters of one row each give the former.
    """
    import numpy as np

    high, low = scores[positive], scores[~positive]
    above = (_midranks(scores)[positive] - _midranks(high)) / len(low)
    below = 1.0 - (_midranks(scores)[~positive] - _midranks(low)) / len(high)
    auc = float(above.mean())
    if clusters is None:
        return Area(auc, _spread(above) / len(high) + _spread(below) / len(low))
    _, codes = np.unique(clusters, return_inverse=True)
    count = int(codes.max()) + 1
    parts = np.bincount(codes[positive], above - auc, count) / len(high)
    parts += np.bincount(codes[~positive], below - auc, count) / len(low)
    return Area(auc, float((parts**2).sum()) * count / max(count - 1, 1))


def share_above(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The area alone, which needs one sort: (sum of the positives' midranks - m (m + 1) / 2) / m n."""
    high = int(positive.sum())
    ranks = float(_midranks(scores)[positive].sum())
    return (ranks - high * (high + 1) / 2) / (high * (len(scores) - high))


def null_variance(positives: int, negatives: int) -> float:
    """The variance where both sides are alike, without ties: (m + n + 1) / 12 m n (Mann and Whitney 1947)."""
    return (positives + negatives + 1) / (12.0 * positives * negatives)


def area_variance(auc: float, positives: int, negatives: int) -> float:
    """The variance of an area from the sizes alone (J. Hanley, B. McNeil 1982, Radiology 143, 29-36)."""
    first, second = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    spread = auc * (1 - auc) + (positives - 1) * (first - auc * auc) + (negatives - 1) * (second - auc * auc)
    return max(spread, 0.0) / (positives * negatives)


def chance(z: float) -> float:
    """The probability that a standard normal value is at least `z`."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def quantile(probability: float) -> float:
    """The standard normal value that is exceeded with that probability."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(1.0 - probability)


def _midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, equal values sharing the mean of theirs."""
    import numpy as np

    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2.0)[codes]
    return ranks


def _spread(values: NDArray[np.float64]) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else 0.25
