"""What a test with so many rows could have found."""

from __future__ import annotations

import math

_MANY = 1e6  # degrees of freedom beyond which a chi variable is normal, of deviation sqrt(1/2)


def normal_quantile(share: float) -> float:
    """The value that a standard normal variable stays below with probability `share`, in (0, 1)."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def noise(n: int, m: int) -> float:
    """1/n + 1/m: the variance of a difference of two means, in units of one row's variance."""
    return 1.0 / n + 1.0 / m


def detectable(critical: float, n: int, m: int, power: float) -> float:
    """The true effect whose estimate passes `critical` with probability `power`, at most 1.

    For effects that are largest gaps between shares (D, total variation): the estimate is never below its own
    value at the place, or for the set of levels, where the true gap is largest, which scatters by at most
    sqrt(1/n + 1/m) / 2.
    """
    return min(1.0, critical + max(0.0, normal_quantile(power)) * math.sqrt(noise(n, m)) / 2)


def chi_quantile(share_above: float, mean: float, deviation: float) -> float:
    """The value exceeded with probability `share_above` by a non-negative variable of that mean and deviation.

    A scaled chi distribution is fitted to both (one degree of freedom is the absolute value of a normal
    variable, many are nearly normal), its quantile taken by Wilson and Hilferty (1931).
    """
    if mean <= 0.0:
        return 0.0
    freedom = _freedom(deviation / mean)
    z = normal_quantile(1.0 - share_above)
    square = freedom * max(0.0, 1 - 2 / (9 * freedom) + z * math.sqrt(2 / (9 * freedom))) ** 3
    return mean / _chi_mean(freedom) * math.sqrt(square)


def scattered(passing: float, mean: float) -> float:
    """The least effect, however it is spread over many levels, that brings a sum of absolute values up to `passing`.

    `mean` is the sum's mean without any effect. What is added to a level already blurred by chance shows little:
    E|X| of a normal variable is convex in its mean, so an effect in proportion to the levels' deviations
    shows least of all (Jensen), as E|N(r, 1)| / E|N(0, 1)| times `mean`. At most `passing` itself.
    """
    unit = mean * math.sqrt(math.pi / 2)
    if unit <= 0.0:
        return passing
    low, high = 0.0, passing / unit
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if unit * _absolute(middle) < passing else (low, middle)
    return high * unit


def _absolute(mean: float) -> float:
    """E|X| of a normal variable of that mean and deviation 1."""
    return math.sqrt(2 / math.pi) * math.exp(-mean * mean / 2) + mean * math.erf(mean / math.sqrt(2))


def _chi_mean(freedom: float) -> float:
    if freedom > _MANY:
        return math.sqrt(freedom - 0.5)
    return math.sqrt(2) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))


def _freedom(spread: float) -> float:
    """The degrees of freedom of the chi distribution whose deviation over mean is `spread`, from 1 on."""
    low, high = 1.0, 1e9
    for _ in range(80):
        middle = math.sqrt(low * high)
        mean = _chi_mean(middle)
        wider = (
            math.sqrt(max(0.0, middle - mean * mean)) / mean > spread if middle < _MANY else 0.5 / middle > spread**2
        )
        low, high = (middle, high) if wider else (low, middle)
    return low
