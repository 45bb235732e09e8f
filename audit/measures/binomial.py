"""Probabilities of drawing with and without replacement, to full precision at any size.

Differences of log-gammas lose digits as counts grow (six of sixteen at 10^9). Loader's form writes
the probability with deviances from the mean and the small errors of Stirling's formula instead
(C. Loader 2000, "Fast and accurate computation of binomial probabilities"; R's `dbinom`, `dhyper`).
"""

from __future__ import annotations

import math

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_SMALL = 16  # up to here log-gamma loses nothing, beyond it the series does not


def log_binomial(k: int, n: int, p: float) -> float:
    """Natural logarithm of the probability of `k` successes in `n` trials of probability `p`; -inf outside."""
    if not 0 <= k <= n or (p <= 0.0 and k > 0) or (p >= 1.0 and k < n):
        return -math.inf
    if k == 0:
        return n * math.log1p(-p) if n else 0.0
    if k == n:
        return n * math.log(p)
    stirling = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    deviance = _deviance(k, n * p) + _deviance(n - k, n * (1.0 - p))
    return stirling - deviance + 0.5 * math.log(n / (2 * math.pi * k * (n - k)))


def log_hypergeometric(k: int, marked: int, others: int, drawn: int) -> float:
    """Natural logarithm of the probability that `drawn` of `marked + others` rows hold `k` marked ones."""
    if not max(0, drawn - others) <= k <= min(marked, drawn):
        return -math.inf
    total = marked + others
    if drawn in (0, total) or marked in (0, total):
        return 0.0
    share = drawn / total
    return log_binomial(k, marked, share) + log_binomial(drawn - k, others, share) - log_binomial(drawn, total, share)


def mean_deviation(marked: int, others: int, drawn: int) -> float:
    """E|X - E X| for X marked rows among `drawn`, in rows.

    In closed form, since (x - E X) p(x) = g(x) - g(x + 1) with g(x) = x (others - drawn + x) p(x) / total
    telescopes (De Moivre's identity; Diaconis and Zabell 1991, "Closed form summation for classical
    distributions", Statistical Science 6).
    """
    total = marked + others
    if not total:
        return 0.0
    above = marked * drawn // total + 1
    probability = math.exp(log_hypergeometric(above, marked, others, drawn))
    return 2.0 * above * (others - drawn + above) / total * probability


def _stirling_error(n: int) -> float:
    """The error of Stirling's formula: log n! - log(sqrt(2 pi n) (n/e)^n)."""
    if n < _SMALL:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - _HALF_LOG_2PI if n else 0.0
    s = 1.0 / (n * n)
    series = 1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * 691 / 360360))))
    return series / n


def _deviance(x: float, mean: float) -> float:
    """The deviance x log(x/mean) + mean - x, without cancellation where both are close."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, term, j = (x - mean) * v, 2 * x * v, 1
    while True:
        term *= v * v
        after = total + term / (2 * j + 1)
        if after == total:
            return total
        total, j = after, j + 1
