"""Arrays of many files that mean the same put together: their range, their mean and deviation, and their scale.

What a scale is called: values in [0, 1], in [-1, 1], in [0, 255], or of mean 0 and deviation 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from audit.measures.moments import together
from audit.records.array_values import ArrayValues, Moments, Number, Scanned

ENOUGH = 100
"""So many values, and their range says how they are scaled."""

SLACK = 1e-3
"""How far values may be beyond the ends of a scale, in parts of its largest value: what rounding makes."""

_BYTE, _HALF, _BEYOND = 128, 0.5, 1.5
_MEAN, _LEAST_SD, _MOST_SD = 0.3, 0.7, 1.4

SCALES: dict[str, tuple[float, float]] = {"unit": (0, 1), "symmetric": (-1, 1), "byte": (0, 255)}
"""The ends of the scales that have ends."""


class Group(NamedTuple):
    """The arrays of one key and as many dimensions. `finite` is how many finite values they have in all."""

    key: str
    dimensions: int
    arrays: int
    finite: int
    low: Number | None
    high: Number | None
    integers: bool
    moments: Moments | None
    channels: tuple[Moments, ...]

    @property
    def scale(self) -> str:
        """What its scale is called; empty where it has no such name, or too few values to tell."""
        return scale(self.low, self.high, self.moments) if self.finite >= ENOUGH else ""

    @property
    def range(self) -> str:
        """Its range in words."""
        return interval(self.low, self.high)


def grouped(scanned: Scanned) -> list[Group]:
    """The groups of a dataset in the order in which they first occur."""
    found: dict[tuple[str, int], list[ArrayValues]] = {}
    for file in scanned.files:
        for one in file.values.arrays:
            if one.count:
                found.setdefault((one.key, len(one.shape)), []).append(one)
    return [_group(key, dimensions, arrays) for (key, dimensions), arrays in found.items()]


def _group(key: str, dimensions: int, arrays: Sequence[ArrayValues]) -> Group:
    lows = [one.low for one in arrays if one.low is not None]
    highs = [one.high for one in arrays if one.high is not None]
    apart = {len(one.channels) for one in arrays}
    return Group(
        key=key,
        dimensions=dimensions,
        arrays=len(arrays),
        finite=sum(one.count - one.nan - one.infinite for one in arrays),
        low=min(lows, default=None),
        high=max(highs, default=None),
        integers=all("int" in one.dtype or one.dtype == "bool" for one in arrays),
        moments=_together(one.moments for one in arrays),
        channels=tuple(map(together, zip(*(one.channels for one in arrays), strict=True))) if len(apart) == 1 else (),
    )


def _together(parts: Iterable[Moments | None]) -> Moments | None:
    some = list(parts)
    known = [one for one in some if one is not None]
    return together(known) if len(known) == len(some) else None


def scale(low: Number | None, high: Number | None, moments: Moments | None) -> str:
    """What a scale is called, from the range and, where they are known, mean and deviation."""
    if low is None or high is None or low == high:
        return ""
    if within(low, high, "unit"):
        return "unit" if high > _HALF else ""
    if within(low, high, "symmetric"):
        return "symmetric" if low <= -_HALF else ""
    if within(low, high, "byte"):
        return "byte" if high >= _BYTE else ""
    return "standard" if max(-low, high) >= _BEYOND and _standard(moments) else ""


def _standard(moments: Moments | None) -> bool:
    if moments is None or moments.mean is None or moments.sd is None:
        return False
    return abs(moments.mean) <= _MEAN and _LEAST_SD <= moments.sd <= _MOST_SD


def within(low: Number, high: Number, name: str) -> bool:
    """Whether a range lies within a scale that has ends."""
    first, last = SCALES[name]
    slack = SLACK * last
    return low >= first - slack and high <= last + slack


def interval(low: Number | None, high: Number | None) -> str:
    """A range in words."""
    return "no finite value" if low is None or high is None else f"[{number(low)}, {number(high)}]"


def number(value: Number) -> str:
    """A number in words."""
    return f"{value}" if isinstance(value, int) else f"{value:.6g}"
