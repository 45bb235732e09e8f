"""The range of values, and those that are none: NaN, infinities, integers at the end of their type."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

Number = int | float


class Range:
    """Least and largest finite value, and counts. A piece without NaN and infinities costs its minimum and maximum.

    Minimum and maximum are NaN where one value is, so that NaN is looked for only where there is one.
    """

    def __init__(self) -> None:
        self.low: Number | None = None
        self.high: Number | None = None
        self.count = self.nan = self.infinite_low = self.infinite_high = self.at_low = self.at_high = 0

    def take(self, _start: int, numbers: Array, _raw: Array) -> None:
        """A piece; never empty."""
        import numpy as np

        self.count += numbers.size
        low, high = np.minimum.reduce(numbers).item(), np.maximum.reduce(numbers).item()
        if numbers.dtype.kind == "f":
            self._floats(numbers, low, high)
            return
        self._widen(low, high)
        self._ends(numbers, low, high)

    def join(self, later: Range) -> None:
        """What another has seen of the same array."""
        for name in ("count", "nan", "infinite_low", "infinite_high", "at_low", "at_high"):
            setattr(self, name, getattr(self, name) + getattr(later, name))
        if later.low is not None and later.high is not None:
            self._widen(later.low, later.high)

    def _widen(self, low: Number, high: Number) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def _floats(self, numbers: Array, low: float, high: float) -> None:
        import numpy as np

        if isfinite(low) and isfinite(high):
            self._widen(low, high)
            return
        self.nan += int(np.count_nonzero(np.isnan(numbers)))
        self.infinite_low += int(np.count_nonzero(np.isneginf(numbers)))
        self.infinite_high += int(np.count_nonzero(np.isposinf(numbers)))
        finite = numbers[np.isfinite(numbers)]
        if finite.size:
            self._widen(finite.min().item(), finite.max().item())

    def _ends(self, numbers: Array, low: int, high: int) -> None:
        import numpy as np

        ends = np.iinfo(numbers.dtype)
        if low == ends.min < 0:
            self.at_low += int(np.count_nonzero(numbers == low))
        if high == ends.max:
            self.at_high += int(np.count_nonzero(numbers == high))
