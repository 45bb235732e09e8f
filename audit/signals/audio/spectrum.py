"""The spectrum of a clip, averaged over all of it, and the levels of its frames.

Frames of 20 to 40 ms under a Hann window, one behind the other (P. D. Welch, 1967, without overlap). Only their sum
is kept, so a clip of any length takes as much memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.signals.audio.bandwidth import mirror
from audit.signals.audio.loudness import weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]
    Floats = NDArray[np.float64]

_HZ = 50
"""Bins are as narrow as this, or narrower."""

_SMALLEST, _LARGEST = 4, 15
"""Powers of two: no more samples are in a frame, whatever sample rate a header declares."""

_LOWEST = 2
"""Bins below this one hold DC under a Hann window."""

_AT_ONCE = 64
"""Frames that are transformed together, so that they stay in the cache of the processor."""


_FEW = 8
"""Of fewer frames in a block, what is left behind the last is looked at as well, though it overlaps with it."""


class Levels(NamedTuple):
    """Mean squares of frames (channels, frames): K-weighted as BS.1770 does, and plain without DC."""

    weighted: Floats
    plain: Floats


class _Plan(NamedTuple):
    """What is the same for all clips of a sample rate, and the room to work in."""

    size: int
    window: NDArray[np.float32]
    weights: NDArray[np.float32]
    ones: NDArray[np.float32]
    framed: NDArray[np.float32]
    transformed: NDArray[np.complex64]
    squared: NDArray[np.float32]


class Spectrum:
    """Takes the blocks of one clip; all but the last are a whole number of frames.

    `squares` are the squares of real and imaginary parts in turn, of all frames by bin; `mirror` is that of some
    frames in a row that are among the loudest, None of silence.
    """

    def __init__(self, rate: int, channels: int) -> None:
        import numpy as np

        self._plan = _plan(rate)
        self.rate = rate
        self._channels = channels
        self.squares = np.zeros(self._plan.weights.shape[0])
        self.bin_hz = rate / self._plan.size
        self.mirror: NDArray[np.complex64] | None = None
        self._most = 0.0
        self._levels: list[Floats] = []

    @property
    def frame_s(self) -> float:
        """Seconds in a frame."""
        return 1 / self.bin_hz

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels); less than a frame at the end of many is left out."""
        import numpy as np

        if len(block) < self._plan.size and self._levels:
            return
        groups = [list(map(self._transformed, _framed(channel, self._plan.size))) for channel in block.T]
        self._levels.append(np.array([each[0] if len(each) == 1 else np.concatenate(each) for each in groups]))

    def _transformed(self, frames: Samples) -> Floats:
        """The mean squares (frames, 2), weighted and plain; their power goes into the sum.

        Real and imaginary parts are squared where they lie, one behind the other, and summed up by one product of
        matrices: numpy is quicker at that than at what it says.
        """
        import numpy as np

        plan, count = self._plan, len(frames)
        found = plan.transformed[:count]
        np.multiply(frames, plan.window, out=plan.framed[:count], casting="same_kind")
        np.fft.rfft(plan.framed[:count], out=found)  # type: ignore[arg-type] # 32-bit floats are not known to its types
        parts = found.view(np.float32)
        squared = np.multiply(parts, parts, out=plan.squared[:count])
        total = plan.ones[:count] @ squared
        self.squares += total
        strength = float(np.add.reduce(total))
        if strength > 2 * self._most:
            self.mirror, self._most = mirror(found), strength
        sums = squared @ plan.weights
        squares = np.einsum("ij,ij->i", frames, frames) / (plan.size * np.maximum(sums[:, 2], 1e-30))
        means: Floats = np.multiply(sums[:, :2], squares[:, None], dtype=np.float64)
        return means

    def levels(self) -> Levels:
        """Of all frames."""
        import numpy as np

        both = self._levels[0] if len(self._levels) == 1 else np.concatenate(self._levels, axis=1)
        return Levels(both[:, :, 0], both[:, :, 1])


def _framed(channel: Samples, size: int) -> Iterator[Samples]:
    """Groups of frames (frames, size); of few, a last one that is not whole begins earlier, or is filled up."""
    import numpy as np

    whole = len(channel) // size
    frames = channel[: whole * size].reshape(whole, size)
    for start in range(0, whole, _AT_ONCE):
        yield frames[start : start + _AT_ONCE]
    if not whole:
        yield np.pad(channel, (0, size - len(channel)))[None]
    elif whole < _FEW and len(channel) % size:
        yield channel[None, -size:]


@lru_cache(16)
def _plan(rate: int) -> _Plan:
    import numpy as np

    size = 1 << min(max((rate // _HZ).bit_length(), _SMALLEST), _LARGEST)
    bins = size // 2 + 1
    audible = np.arange(bins) >= _LOWEST
    each = np.stack([weights(rate, np.arange(bins) * rate / size) * audible, audible, np.ones(bins)], axis=1)
    return _Plan(
        size=size,
        window=np.hanning(size + 1)[:-1].astype(np.float32),
        weights=np.repeat(each, 2, axis=0).astype(np.float32),
        ones=np.ones(_AT_ONCE, np.float32),
        framed=np.empty((_AT_ONCE, size), np.float32),
        transformed=np.empty((_AT_ONCE, bins), np.complex64),
        squared=np.empty((_AT_ONCE, 2 * bins), np.float32),
    )


def power(spectra: Sequence[Spectrum]) -> Floats:
    """The power (spectra, bins) of all frames, of spectra of one sample rate."""
    import numpy as np

    squares = np.array([each.squares for each in spectra])
    powers: Floats = squares[:, ::2] + squares[:, 1::2]
    return powers
