"""The extremes of a clip, and whether it was clipped: flat tops where waves should be round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

_RUN = 3
_NEAR = 0.95
_FLAT = 0.5
"""Of the samples within 5 % of an extreme, this share is in flat tops where sound was clipped: of a sine that is
clipped at 90 % of its height it is 83 %, of one that 8 bits round to flat tops 32 %."""

_QUIETEST = 0.1
"""Extremes nearer to 0 are no tops: of quiet sound few steps are left, and all its tops are flat."""


class Tops:
    """The greatest and the least sample, how often each stands in a run, and how many samples are near it."""

    def __init__(self) -> None:
        self._high = _Top(1)
        self._low = _Top(-1)

    @property
    def peak(self) -> float:
        """The largest magnitude."""
        return max(self._high.height, self._low.height, 0.0)

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels)."""
        self._high.take(block, float(block.max()))
        self._low.take(block, -float(block.min()))

    def clipped(self) -> tuple[int, float]:
        """The samples in flat tops, and the magnitude of those; (0, 0.0) where there are none."""
        flat = [top for top in (self._high, self._low) if top.is_flat]
        return sum(top.flat for top in flat), max((top.height for top in flat), default=0.0)


class _Top:
    """One extreme."""

    def __init__(self, sign: int) -> None:
        self.height = -float("inf")
        self.flat = self._near = 0
        self._sign = sign

    @property
    def is_flat(self) -> bool:
        return self.height >= _QUIETEST and self.flat > _FLAT * self._near

    def take(self, block: Samples, height: float) -> None:
        if height < _QUIETEST or height < self.height * _NEAR:
            self.height = max(self.height, height)
            return
        if height > self.height:
            self.height, self.flat = height, 0
            self._near = 0
        self._count(block)

    def _count(self, block: Samples) -> None:
        import numpy as np

        at = block == self._sign * self.height
        if np.count_nonzero(at) >= _RUN:
            self.flat += _in_runs(at)
        if self.flat:
            self._near += int(np.count_nonzero(self._sign * block >= _NEAR * self.height))


def _in_runs(at: NDArray[np.bool_]) -> int:
    """How many of them (frames, channels) stand in runs of `_RUN` or more along a channel."""
    import numpy as np

    long = at[2:] & at[1:-1] & at[:-2]
    covered = np.zeros_like(at)
    for shift in range(_RUN):
        covered[shift : len(at) - _RUN + 1 + shift] |= long
    return int(np.count_nonzero(covered))
