"""How well one feature alone tells the label, from counts of its values: seen rows teach, unseen rows judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from audit.measures.auc import area_variance, chance, null_variance
from audit.records.target import Strength

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PRIOR = 2.0
"""Rows that the overall share weighs against a value's own (D. Micci-Barreca 2001, SIGKDD Explorations 3, 27-32)."""

_RANKS = 1.06
"""Fisher's variance of a rank correlation over that of Pearson's (E. Fieller and others 1957, Biometrika 44)."""


def classes(taught: NDArray[np.int64], judged: NDArray[np.int64]) -> Strength:
    """The strength for a label of classes, 2 AUC - 1 at least 0; from counts of (fold, value, class).

    `judged` are rows in whose fold nothing was taught by them: the share of a class among
    the taught rows of a value, drawn a little to the overall share, is the score of that
    value's judged rows. The AUC of each class against the rest, the mean over
    folds and classes: for more than two classes that of D. Hand, R. Till 2001 without
    pairs (Machine Learning 45, 171-186; F. Provost, P. Domingos 2001).
    """
    import numpy as np

    per_value = taught.sum(axis=2, keepdims=True)
    overall = taught.sum(axis=1, keepdims=True) / np.maximum(taught.sum(axis=(1, 2), keepdims=True), 1)
    scores = (taught + _PRIOR * overall) / (per_value + _PRIOR)
    chosen = range(1, 2) if judged.shape[2] == 2 else range(judged.shape[2])  # noqa: PLR2004 - of two classes, one tells
    found = [
        one
        for fold in range(len(judged))
        for label in chosen
        if (one := _area(scores[fold, :, label], judged[fold, :, label], judged[fold].sum(axis=1))) is not None
    ]
    auc = float(np.mean(found)) if found else 0.5
    return of_area(auc, *_sizes(judged))


def of_area(auc: float, positives: int, negatives: int) -> Strength:
    """The strength of an area; sizes are those of the classes. No order is less likely than each order is."""
    if not positives or not negatives:
        return Strength(value=0.0, auc=0.5)
    variance = 4 * max(area_variance(max(auc, 0.5), positives, negatives), 1 / (positives * negatives))
    p = max(
        chance((auc - 0.5) / math.sqrt(null_variance(positives, negatives))), ordered_by_chance([positives, negatives])
    )
    return Strength(value=max(2 * auc - 1, 0.0), auc=auc, variance=variance, p=p)


def numbers(taught: NDArray[np.float64], judged: NDArray[np.float64]) -> Strength:
    """The strength for a label of numbers: R², from sums of (fold, value, (rows, ranks, squares of ranks)).

    The squared correlation between the label's ranks and the mean rank among the taught
    rows of the same value (the correlation ratio of K. Pearson 1905, on ranks and unseen rows);
    0 where the correlation is negative.
    """
    import numpy as np

    overall = taught[..., 1].sum(axis=1) / np.maximum(taught[..., 0].sum(axis=1), 1)
    told = (taught[..., 1] + _PRIOR * overall[:, None]) / (taught[..., 0] + _PRIOR)
    rows, ranks, squares = (judged[..., place] for place in range(3))
    count = rows.sum()
    if count < 4:  # noqa: PLR2004 - Fisher's variance needs one more than three
        return Strength(value=0.0)
    means = (rows * told).sum() / count, ranks.sum() / count
    both = (ranks * told).sum() / count - means[0] * means[1]
    spread = ((rows * told**2).sum() / count - means[0] ** 2) * (squares.sum() / count - means[1] ** 2)
    return of_correlation(float(both / math.sqrt(spread)) if spread > 0 else 0.0, int(count))


def of_correlation(correlation: float, rows: int) -> Strength:
    """The strength of a rank correlation that counts if it is positive."""
    bounded = min(max(correlation, 0.0), 1.0)
    variance = _RANKS / max(rows - 3, 1)
    p = max(chance(math.atanh(min(bounded, 1 - 1e-12)) / math.sqrt(variance)), ordered_by_chance([1] * rows))
    return Strength(value=bounded**2, variance=variance, p=p)


def gap(here: Strength, there: Strength) -> float:
    """The probability that a strength seen here is that much larger than there by chance alone."""
    spread = math.sqrt(here.variance + there.variance)
    if here.auc is not None:
        return chance((here.value - there.value) / spread) if spread > 0 else 1.0
    first, second = (math.atanh(min(math.sqrt(one.value), 1 - 1e-12)) for one in (here, there))
    return chance((first - second) / spread) if spread > 0 else 1.0


def copied_by_chance(counts: list[int]) -> float:
    """At most the probability that classes of these sizes fall one to one on values of another column of like sizes.

    k! n1! ... nk! / n!: the ways to name the values, over the orders of the labels.
    """
    logarithm = math.lgamma(len(counts) + 1) - math.lgamma(sum(counts) + 1) + sum(math.lgamma(n + 1) for n in counts)
    return math.exp(min(logarithm, 0.0))


def ordered_by_chance(counts: list[int]) -> float:
    """The probability that a column orders labels, so many equal to each other, exactly: 2 n1! ... nk! / n!."""
    logarithm = math.log(2) - math.lgamma(sum(counts) + 1) + sum(math.lgamma(count + 1) for count in counts)
    return math.exp(min(logarithm, 0.0))


def _area(scores: NDArray[np.float64], positive: NDArray[np.int64], whole: NDArray[np.int64]) -> float | None:
    """The area from counts of rows by score; None if one side has no rows."""
    import numpy as np

    ranks, places = np.unique(scores, return_inverse=True)
    high = np.bincount(places, positive, len(ranks))
    low = np.bincount(places, whole - positive, len(ranks))
    if high.sum() == 0 or low.sum() == 0:
        return None
    below = np.cumsum(low) - low / 2
    return float((high * below).sum() / (high.sum() * low.sum()))


def _sizes(judged: NDArray[np.int64]) -> tuple[int, int]:
    """Rows of the rarest class that matters, and of the others."""
    counted = [int(count) for count in judged.sum(axis=(0, 1)) if count]
    if len(counted) < 2:  # noqa: PLR2004 - one class tells nothing
        return 0, 0
    mean = max(sum(counted) // len(counted), 1) if len(counted) > 2 else min(counted)  # noqa: PLR2004 - the mean area is over all
    return mean, sum(counted) - mean
