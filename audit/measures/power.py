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
