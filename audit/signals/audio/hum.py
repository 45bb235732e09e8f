"""Hum of the mains: lines at 50 or 60 Hz and their multiples that stay while everything else comes and goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]
    Floats = NDArray[np.float64]

_SHORTEST_S, _LONGEST_S = 2.0, 600.0
_LOWEST_RATE = 800
_MAINS = (50, 60)
_MULTIPLES = (1, 2, 3, 4, 5)
_STEADY = 10
"""The percentile of a line's power over time that counts: what is there in 90 % of all seconds."""

_ALONE_DB, _TOGETHER_DB = 15.0, 10.0
_BESIDE = (-9, -8, -7, -6, -5, -4, 4, 5, 6, 7, 8, 9)


class Lines(NamedTuple):
    """Hum: the frequency of the mains, and the mean square of all its lines."""

    hertz: int
    power: float


class Hum:
    """Takes the blocks of one clip at a lower rate, up to ten minutes of it."""

    def __init__(self, rate: int) -> None:
        self._step = 1 << max(0, (rate // _LOWEST_RATE).bit_length() - 1)
        self._rate = rate / self._step
        self._slow: list[Floats] = []
        self._count = 0

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels)."""
        import numpy as np

        whole = len(block) // self._step * self._step
        if whole and self._count < _LONGEST_S * self._rate:
            step = self._step * block.shape[1]
            means = block[:whole].reshape(-1, step) @ np.full(step, 1 / step, block.dtype)
            self._slow.append(means.astype(np.float64))
            self._count += whole // self._step

    def found(self) -> Lines | None:
        """The hum; None where there is none, or too little sound to tell."""
        if self._count < _SHORTEST_S * self._rate or self._rate < _LOWEST_RATE / 2:
            return None
        power = self._seconds()
        lines = [one for mains in _MAINS if (one := _lines(power, mains))]
        return max(lines, key=lambda one: one.power, default=None)

    def _seconds(self) -> Floats:
        """Mean squares (seconds that overlap by half, bins of about 1 Hz)."""
        import numpy as np

        slow = np.concatenate(self._slow)
        size = round(self._rate)
        window = np.hanning(size + 1)[:-1]
        framed = np.lib.stride_tricks.sliding_window_view(slow, size)[:: size // 2]
        power: Floats = np.square(np.abs(np.fft.rfft(framed * window))) * (2 / (size * (window**2).sum()))
        return power


def _lines(power: Floats, mains: int) -> Lines | None:
    """The lines of these mains that stand out steadily: the first of them, or several with an odd one among them."""
    import numpy as np

    found = {}
    for multiple in (each for each in _MULTIPLES if each * mains + max(_BESIDE) < power.shape[1]):
        at = multiple * mains
        line = float(np.percentile(power[:, at - 1 : at + 2].sum(axis=1), _STEADY))
        beside = float(np.percentile(power[:, [at + one for one in _BESIDE]].mean(axis=1), _STEADY))
        found[multiple] = (line, 10 * math.log10((line + 1e-18) / (3 * beside + 1e-18)))
    standing = [multiple for multiple, (_, db) in found.items() if db >= _TOGETHER_DB]
    alone = 1 in found and found[1][1] >= _ALONE_DB
    several = len(standing) > 1 and any(multiple % 2 for multiple in standing)
    return Lines(mains, sum(found[one][0] for one in standing)) if alone or several else None
