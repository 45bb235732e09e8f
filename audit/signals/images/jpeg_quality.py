"""The quality at which a JPEG was encoded, by its quantisation tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache

_LUMINANCE = (
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
    51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120,
    101, 72, 92, 95, 98, 112, 100, 103, 99,
)  # fmt: skip
"""ITU-T T.81, table K.1."""


def quality(table: Sequence[int]) -> float | None:
    """The quality from 1 to 100 whose table of luminance, as libjpeg scales it, has the nearest sum.

    Exact for what libjpeg wrote (jcparam.c, jpeg_quality_scaling) at a quality of up to 99; tables of other makers
    lie between. None for what is no table of 64 values.
    """
    if len(table) != len(_LUMINANCE):
        return None
    sums = _sums()
    found = bisect_left(sums, -sum(table))
    near = (at for at in (found - 1, found) if 0 <= at < len(sums))
    return 1.0 + min(near, key=lambda at: abs(sums[at] + sum(table)))


@cache
def _sums() -> list[int]:
    """By quality, negated so that they ascend."""
    return [-sum(min(255, max(1, (value * _scale(q) + 50) // 100)) for value in _LUMINANCE) for q in range(1, 101)]


def _scale(quality: int) -> int:
    return 5000 // quality if quality < 50 else 200 - 2 * quality  # noqa: PLR2004 - libjpeg's own turning point
