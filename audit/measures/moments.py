"""Mean and standard deviation of parts put together.

Source: Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from audit.records.array_values import Moments


def together(parts: Iterable[Moments]) -> Moments:
    """Those of all values, from those of the parts in their order; not computable if those of one part are not."""
    count, mean, squares, known = 0, 0.0, 0.0, True
    for one in parts:
        if not one.count:
            continue
        count += one.count
        if one.mean is None or one.sd is None:
            known = False
            continue
        apart = one.mean - mean
        mean += apart * one.count / count
        squares += one.sd * one.sd * one.count + apart * apart * (count - one.count) * one.count / count
    return Moments(count=count, mean=mean, sd=sqrt(squares / count)) if count and known else Moments(count=count)
