"""Shares of levels: how far apart two tables of counts are, and whether chance explains it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from audit.measures import power as powers
from audit.measures.binomial import log_hypergeometric, mean_deviation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXCEEDING = 20  # draws as extreme as the data after which no more are needed
_DRAWS = 200_000
_CELLS = 20_000_000  # draws times levels: some three seconds
_ROWS = 1_000_000_000  # what numpy's sampler takes
_BATCH = 500_000  # cells held at a time
_COMMON = 200  # rows of a level from which its share is as good as normal


def total_variation(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """1/2 sum |a_k/n - b_k/m|, in [0, 1]: the share of rows that would have to change their level.

    `a` and `b` count the rows of each level, in the same order. Raises `ValueError` where a side has none.
    """
    import numpy as np

    n, m = _sizes(a, b)
    return float(min(1.0, np.abs(a / n - b / m).sum() / 2))


def p_value(a: NDArray[np.int64], b: NDArray[np.int64], *, below: float, seed: int) -> tuple[float, str]:
    """The chance of a total variation at least this large if the rows were dealt to both sides at random; and how.

    Conditional on how many rows each level and each side have. `below` is the smallest threshold that
    matters. Where `bound` lies below it, that is the answer ("bound"): the true chance is at most as large.
    Otherwise counts are drawn as dealing the rows would give them, which costs the same however many rows
    there are, and p = (1 + draws at least as extreme) / (1 + draws) ("permutation"): 2/below draws, but no
    more than 200,000, nor than 2 x 10^7 draws times levels, beyond which the bound alone can pass `below`;
    fewer as soon as 20 were as extreme, p then being 20 / draws (Besag and Clifford 1991, "Sequential Monte
    Carlo p-values", Biometrika 78). Both are valid p-values. 10^9 rows and more leave the bound. The same
    counts and seed give the same answer.
    """
    observed = total_variation(a, b)
    if observed <= 0.0:
        return 1.0, "permutation"
    totals, most = a + b, bound(a, b)
    if most < below or int(totals.sum()) >= _ROWS:
        return most, "bound"
    totals = totals[totals > 0]
    draws = min(_DRAWS, math.ceil(2 / below), max(1, _CELLS // len(totals)))
    return _permuted(totals, int(a.sum()), observed, draws, seed), "permutation"


def bound(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """An upper bound, in closed form, on the permutation p-value of the total variation.

    Swapping one row of either side moves it by at most c = 1/n + 1/m, so that it exceeds its mean by e with
    probability at most exp(-2 e^2 (N - 1/2) / (n m c^2) (1 - 1/(2 max(n, m)))), N = n + m (El-Yaniv and
    Pechyony 2009, "Transductive Rademacher complexity and its applications", JAIR 35, Lemma 2). Its mean is
    known exactly: c/2 times the sum of the levels' mean deviations (`binomial.mean_deviation`).
    """
    n, m = _sizes(a, b)
    excess = total_variation(a, b) - expected(a, b)
    if excess <= 0.0:
        return 1.0
    rows = n + m
    swap = powers.noise(n, m)
    exponent = 2 * excess**2 * (rows - 0.5) / n / m / swap**2 * (1 - 0.5 / max(n, m))
    return math.exp(-exponent)


def expected(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """The mean of the total variation if the rows were dealt to both sides at random."""
    import numpy as np

    n, m = _sizes(a, b)
    values, times = np.unique(a + b, return_counts=True)
    mean = sum(
        int(often) * mean_deviation(int(value), n + m - int(value), n)
        for value, often in zip(values, times, strict=True)
        if value
    )
    return mean * powers.noise(n, m) / 2


def detectable(counts: NDArray[np.int64 | np.float64], n: int, m: int, alpha: float, power: float = 0.8) -> float:
    """The true total variation that a test at level `alpha` finds in at least `power` of the audits, at most 1.

    `counts` are the levels' counts, or shares, over both sides. The mean and the deviation of the total
    variation under no drift (half the sum of absolute normal variables) give the value that reaches `alpha`;
    `power.scattered` says which true effect passes it even where it is spread so as to show least. A change
    of two levels alone is found more often.
    """
    import numpy as np

    p = np.asarray(counts, dtype=np.float64)
    p = p[p > 0] / p.sum()
    if len(p) <= 1:
        return powers.detectable(0.0, n, m, power)
    variance = p * (1 - p) * powers.noise(n, m)
    cross = p * np.sqrt(p / (1 - p))  # two levels' absolute values covary by about this, times this, over pi
    both = (cross.sum() ** 2 - (cross**2).sum()) * powers.noise(n, m) / math.pi
    mean = math.sqrt(2 / math.pi) * float(np.sqrt(variance).sum()) / 2
    deviation = math.sqrt((float(variance.sum()) * (1 - 2 / math.pi) + float(both)) / 4)
    passing = powers.detectable(powers.chi_quantile(alpha, mean, deviation), n, m, power)
    return powers.scattered(passing, mean)


def difference_p(k1: int, n1: int, k2: int, n2: int) -> float:
    """Fisher's exact test, two-sided: `k1` of `n1` rows against `k2` of `n2`.

    The sum over all divisions of the k1 + k2 rows that are no likelier than the one seen, as R's
    `fisher.test` and `scipy.stats.fisher_exact`. Exact at any size: terms are followed from the edges of that
    set outwards until they vanish. Raises `ValueError` where a side is empty or a count impossible.
    """
    if n1 <= 0 or n2 <= 0 or not 0 <= k1 <= n1 or not 0 <= k2 <= n2:
        raise ValueError("a comparison of shares needs rows on each side, and no more of them marked than there are")
    marked, others = k1 + k2, n1 + n2 - k1 - k2
    low, high = max(0, n1 - others), min(marked, n1)
    mode = min(high, max(low, (marked + 1) * (n1 + 1) // (n1 + n2 + 2)))
    seen = log_hypergeometric(k1, marked, others, n1) + 1e-10

    def holds(k: int) -> bool:
        return log_hypergeometric(k, marked, others, n1) <= seen

    if holds(mode):
        return 1.0
    left = k1 if k1 < mode else _edge(low - 1, mode, holds)
    right = k1 if k1 > mode else _edge(high + 1, mode, holds)
    # seen from the other side, k of n1 are marked - k of n2
    return min(1.0, _tail(left, marked, others, n1) + _tail(marked - right, marked, others, n2))


def difference_detectable(n1: int, n2: int, alpha: float, power: float = 0.8, share: float = 0.0) -> float:
    """How far a share must move from `share` for Fisher's test at level `alpha` to find it in `power` of the audits.

    Upwards from shares below one half, else downwards. Where both sides expect 200 such rows, by the arcsine
    transformation (Cohen 1988, "Statistical power analysis", section 6.2). Else the count of the second side that
    reaches `alpha` against the expected count of the first is searched for with the test itself, and both counts
    scatter around their means as binomial variables do (normal approximation). 1 where no count reaches `alpha`.
    """
    base, z = min(share, 1 - share), max(0.0, powers.normal_quantile(power))
    if min(n1, n2) * base >= _COMMON:
        reach = (powers.normal_quantile(1 - alpha / 2) + z) * math.sqrt(powers.noise(n1, n2)) / 2
        return math.sin(min(math.pi / 2, math.asin(math.sqrt(base)) + reach)) ** 2 - base
    count = _reaching(round(n1 * base), n1, n2, alpha)
    if count > n2:
        return 1.0
    moved = count / n2
    for _ in range(30):
        scatter = math.sqrt(moved * (1 - moved) / n2 + base * (1 - base) / n1)
        moved = min(1.0, (count - 0.5) / n2 + z * scatter)
    return max(0.0, moved - base)


def _reaching(k1: int, n1: int, n2: int, alpha: float) -> int:
    """The smallest count of `n2` above the share of `k1` in `n1` that reaches `alpha`, to a twentieth of its deviation.

    One more than `n2` where none does.
    """
    mean = k1 * n2 // n1
    deviation = math.sqrt(max(1.0, mean * (1 - k1 / n1) * (1 + n2 / n1)))
    below, step = mean, max(1, int(deviation))
    while (above := min(n2, below + step)) < n2 and difference_p(k1, n1, above, n2) > alpha:
        below, step = above, step * 2
    if above == n2 and difference_p(k1, n1, n2, n2) > alpha:
        return n2 + 1
    while above - below > max(1, deviation / 20):
        middle = (below + above) // 2
        below, above = (middle, above) if difference_p(k1, n1, middle, n2) > alpha else (below, middle)
    return above


def _sizes(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[int, int]:
    n, m = int(a.sum()), int(b.sum())
    if n <= 0 or m <= 0:
        raise ValueError("a comparison needs at least one row on each side")
    return n, m


def _permuted(totals: NDArray[np.int64], n: int, observed: float, draws: int, seed: int) -> float:
    import numpy as np

    rng = np.random.default_rng(seed)
    m = int(totals.sum()) - n
    done, exceeding, batch = 0, 0, 64
    while done < draws:
        size = max(1, min(batch, draws - done, _BATCH // len(totals)))
        a = rng.multivariate_hypergeometric(totals, n, size=size, method="marginals")
        extreme = np.abs(a / n - (totals - a) / m).sum(axis=1) / 2 >= observed - 1e-12
        if exceeding + int(extreme.sum()) >= _EXCEEDING:
            last = int(np.flatnonzero(extreme)[_EXCEEDING - exceeding - 1])
            return _EXCEEDING / (done + last + 1)
        done, exceeding, batch = done + size, exceeding + int(extreme.sum()), batch * 4
    return (exceeding + 1) / (done + 1)


def _edge(outside: int, mode: int, holds: Callable[[int], bool]) -> int:
    """The value nearest to `mode` for which `holds`, between it, where it does not, and `outside`, as if it did."""
    true, false = outside, mode
    while abs(false - true) > 1:
        middle = (true + false) // 2
        true, false = (middle, false) if holds(middle) else (true, middle)
    return true


def _tail(k: int, marked: int, others: int, drawn: int) -> float:
    """The chance of at most `k` marked rows among those drawn."""
    term = math.exp(log_hypergeometric(k, marked, others, drawn))
    total = 0.0
    while term > total * 1e-17:
        total += term
        term *= k * (others - drawn + k) / ((marked - k + 1) * (drawn - k + 1))
        k -= 1
    return total
