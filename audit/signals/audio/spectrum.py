"""The spectrum of a clip, averaged over all of it, and the levels of its frames.

Frames of 20 to 40 ms under a Hann window, one behind the other (P. D. Welch, 1967, without overlap). Only their sum
is kept, so a clip of any length takes as much memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.signals.audio.loudness import weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]
    Floats = NDArray[np.float64]

_HZ = 50
"""Bins are as narrow as this, or narrower."""

_LOWEST = 2
"""Bins below this one hold DC under a Hann window."""

_AT_ONCE = 64
"""Frames that are transformed together, so that they stay in the cache of the processor."""


class Levels(NamedTuple):
    """Mean squares of frames (frames, channels): K-weighted as BS.1770 does, and plain without DC."""

    weighted: Floats
    plain: Floats


class _Plan(NamedTuple):
    """What is the same for all clips of a sample rate, and the room to work in."""

    size: int
    window: NDArray[np.float32]
    weights: NDArray[np.float32]
    framed: NDArray[np.float32]
    transformed: NDArray[np.complex64]
    power: NDArray[np.float32]


class Spectrum:
    """Takes the blocks of one clip; all but the last are a whole number of frames."""

    def __init__(self, rate: int, channels: int) -> None:
        import numpy as np

        self._plan = _plan(rate)
        self._channels = channels
        self.power = np.zeros(self._plan.size // 2 + 1)
        self.bin_hz = rate / self._plan.size
        self.loudest: NDArray[np.complex64] | None = None
        """Spectra (frames, bins) of some frames in a row that are among the loudest."""
        self._most = 0.0
        self._levels: list[Floats] = []

    @property
    def frame_s(self) -> float:
        """Seconds in a frame."""
        return 1 / self.bin_hz

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels); less than a frame at the end of many is left out."""
        import numpy as np

        size = self._plan.size
        if len(block) < size and self._levels:
            return
        levels = [np.concatenate(list(map(self._transformed, _framed(channel, size)))) for channel in block.T]
        self._levels.append(np.stack(levels, axis=1))

    def _transformed(self, frames: Samples) -> Floats:
        """The mean squares (frames, 2), weighted and plain; their power goes into the sum."""
        import numpy as np

        plan, count = self._plan, len(frames)
        framed, power = plan.framed[:count], plan.power[:count]
        np.multiply(frames, plan.window, out=framed, casting="same_kind")
        found: NDArray[np.complex64] = plan.transformed[:count]
        np.fft.rfft(framed, out=found)  # type: ignore[arg-type] # 32-bit floats are not known to its types
        np.square(found.real, out=power)
        power += np.square(found.imag)
        total = power.sum(axis=0, dtype=np.float64)
        self.power += total
        if total.sum() > 2 * self._most:
            self.loudest, self._most = found.copy(), float(total.sum())
        sums = (power @ plan.weights).astype(np.float64)
        squares = np.einsum("ij,ij->i", frames, frames, dtype=np.float64) / plan.size
        means: Floats = sums[:, :2] * (squares / np.maximum(sums[:, 2], 1e-30))[:, None]
        return means

    def levels(self) -> Levels:
        """Of all frames."""
        import numpy as np

        both = np.concatenate(self._levels)
        return Levels(both[:, :, 0], both[:, :, 1])


def _framed(channel: Samples, size: int) -> Iterator[Samples]:
    """Groups of frames (frames, size); a last one that is not whole begins earlier, or is filled with silence."""
    import numpy as np

    whole = len(channel) // size
    frames = channel[: whole * size].reshape(whole, size)
    for start in range(0, whole, _AT_ONCE):
        yield frames[start : start + _AT_ONCE]
    if not whole:
        yield np.pad(channel, (0, size - len(channel)))[None]
    elif len(channel) % size:
        yield channel[None, -size:]


@lru_cache(16)
def _plan(rate: int) -> _Plan:
    import numpy as np

    size = 1 << max(4, (max(rate, 1) // _HZ).bit_length())
    bins = size // 2 + 1
    audible = np.arange(bins) >= _LOWEST
    each = np.stack([weights(rate, np.arange(bins) * rate / size) * audible, audible, np.ones(bins)], axis=1)
    return _Plan(
        size=size,
        window=np.hanning(size + 1)[:-1].astype(np.float32),
        weights=each.astype(np.float32),
        framed=np.empty((_AT_ONCE, size), np.float32),
        transformed=np.empty((_AT_ONCE, bins), np.complex64),
        power=np.empty((_AT_ONCE, bins), np.float32),
    )
