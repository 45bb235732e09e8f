"""Tests for rows that are not independent: whole groups change sides, not rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXCEEDING = 20
_BATCH = 4_000_000  # group labels held at a time


def p_value(  # noqa: PLR0913 - a test is its data, its statistic and its draws
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    shared: NDArray[np.int64],
    statistic: Literal["ks", "tv"],
    *,
    draws: int,
    seed: int,
) -> float:
    """The chance of a statistic at least as large if the groups, not the rows, had been dealt at random.

    `a` (groups x bins) counts the rows of each group of the first side in each bin or level, `b` those of the
    second; `shared` (pairs x 2) names the rows of `a` and `b` that belong to one group present on both sides.
    Groups of one side only are dealt so that each side keeps its number of groups; a shared group exchanges
    its two parts or does not, with equal chance. `statistic` is D over ordered bins ("ks") or the total
    variation ("tv") of all rows of each side. At most `draws` draws, fewer once 20 were as extreme (as
    `shares.p_value`); the smallest p is 1 / (draws + 1). A draw that leaves a side without rows counts as
    extreme. Exact in the sense of Fisher where groups are exchangeable (Lehmann and Romano 2005, chapter 15);
    the same input and seed give the same answer. Raises `ValueError` where a side has no rows.
    """
    import numpy as np

    if not a.sum() or not b.sum():
        raise ValueError("a comparison needs at least one row on each side")
    dealing = _Dealing(a.astype(np.float64), b.astype(np.float64), shared.reshape(-1, 2))
    observed = float(_gaps(a.sum(axis=0)[None, :], dealing.total, statistic)[0]) - 1e-12
    rng = np.random.default_rng(seed)
    done, exceeding, batch = 0, 0, 64
    while done < draws:
        size = max(1, min(batch, draws - done, _BATCH // max(1, len(a) + len(b))))
        extreme = _gaps(dealing.drawn(rng, size), dealing.total, statistic) >= observed
        if exceeding + int(extreme.sum()) >= _EXCEEDING:
            return _EXCEEDING / (done + int(np.flatnonzero(extreme)[_EXCEEDING - exceeding - 1]) + 1)
        done, exceeding, batch = done + size, exceeding + int(extreme.sum()), batch * 4
    return (exceeding + 1) / (done + 1)


def arrangements(groups_a: int, groups_b: int, shared: int) -> float:
    """In how many ways the groups can be dealt (of `groups_a` and `groups_b`, `shared` are on both sides).

    The smallest p that any data could give is at least one over this number; infinite beyond 1e300.
    """
    alone, first = groups_a + groups_b - 2 * shared, groups_a - shared
    log = math.lgamma(alone + 1) - math.lgamma(first + 1) - math.lgamma(alone - first + 1) + shared * math.log(2)
    return math.exp(log) if log < math.log(1e300) else math.inf


def effective_rows(histograms: NDArray[np.int64], statistic: Literal["ks", "tv"]) -> float:
    """As many independent rows as the rows of these groups (groups x bins) are worth, from 1 to their number.

    The rows over the design effect: how much more the shares of the bins ("tv"), or the shares up to each bin
    ("ks"), scatter between groups than those of independent rows would, averaged over the bins (Kish 1965,
    "Survey Sampling"; Rao and Scott 1981). One group alone tells nothing of how groups differ: 1.
    """
    import numpy as np

    rows, groups = float(histograms.sum()), len(histograms)
    if groups <= 1 or rows <= 0:
        return 1.0
    counts = np.cumsum(histograms, axis=1) if statistic == "ks" else histograms
    shares = counts.sum(axis=0) / rows
    residuals = counts - histograms.sum(axis=1, keepdims=True) * shares
    variance = float((residuals**2).sum()) / rows**2 * groups / (groups - 1)
    independent = float((shares * (1 - shares)).sum())
    return rows if variance <= 0 else float(np.clip(independent / variance, 1.0, rows))


class _Dealing:
    """Groups that can be dealt to two sides. Counts are whole numbers in floats, so that sums are exact."""

    def __init__(self, a: NDArray[np.float64], b: NDArray[np.float64], shared: NDArray[np.int64]) -> None:
        import numpy as np

        alone_a, alone_b = np.delete(a, shared[:, 0], axis=0), np.delete(b, shared[:, 1], axis=0)
        self._alone = np.concatenate([alone_a, alone_b])
        self._labels = np.arange(len(self._alone)) < len(alone_a)
        self._kept = b[shared[:, 1]].sum(axis=0)
        self._swap = a[shared[:, 0]] - b[shared[:, 1]]
        self.total = a.sum(axis=0) + b.sum(axis=0)

    def drawn(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """The first side's counts, draws x bins."""
        import numpy as np

        labels = rng.permuted(np.broadcast_to(self._labels, (size, len(self._labels))), axis=1)
        swaps = rng.integers(0, 2, (size, len(self._swap)))
        counts: NDArray[np.float64] = labels.astype(np.float64) @ self._alone
        counts += swaps.astype(np.float64) @ self._swap + self._kept
        return counts


def _gaps(
    first: NDArray[np.float64], total: NDArray[np.float64], statistic: Literal["ks", "tv"]
) -> NDArray[np.float64]:
    import numpy as np

    second = total - first
    sizes = np.stack([first.sum(axis=1), second.sum(axis=1)])
    apart = first / np.maximum(sizes[0], 1)[:, None] - second / np.maximum(sizes[1], 1)[:, None]
    found: NDArray[np.float64] = np.abs(apart).sum(axis=1) / 2
    if statistic == "ks":
        found = np.abs(np.cumsum(apart, axis=1)).max(axis=1)
    found[sizes.min(axis=0) <= 0] = np.inf
    return found
