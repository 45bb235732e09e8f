"""Where the spectrum of a clip ends abruptly, and whether its upper half is an image of the lower.

Sound that was recorded falls gently towards high frequencies, and so does a low voice: neither is a fault. A low-pass
of a resampler or a codec is a cliff: content fills the band below, and within a few hundred hertz the level drops by
tens of dB, to a floor that nothing above rises from. Sound that was brought to twice its rate without a low-pass
(samples repeated, interpolated linearly, or zeros put between) keeps the mirror image of each frequency f below a
quarter of the rate at half the rate minus f, in step with it, and weaker by a known factor: tan^2(pi f / rate) in
power for repeated samples, its square for interpolated ones, 1 for zeros.
Source: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, section 4.6.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LOWEST_HZ = 2500.0
"""From where on cliffs are looked for: speech that was stored at 5.5 kHz or more ends above."""

_BAND_HZ, _GAP_HZ = 250.0, 350.0
"""The level of so wide a band below is held against what is so far behind it."""

_CLIFF_DB, _FILLED_DB = 30.0, 25.0
"""How far the level falls at a cliff, and how far above the floor all of the octave below it is."""

_TOP_DB, _DEPTH_DB = 80.0, 100.0
"""How far below the strongest bin sound still counts as content, and as a floor."""

_FEWEST = 3
_NEAR = 10
"""A bin of no less than this part of the level below the cliff is before it."""

_IN_STEP = 0.9
_FRAMES = 16
_PAUSE = 1e-3
"""How steady the phase is between an image and its origin, over no fewer frames than these that are no pauses."""

_WITHIN_DB = 0.25
"""How far an image may be from its law, in all and in each band: those of voices are within 0.03 dB, even in noise."""

_BANDS = 4
_EVERY = 4
"""Of the bins, every fourth is held against its image in each frame: enough, for chance would give 0.2 on average."""


class Edge(NamedTuple):
    """Where content ends, and by how much the level falls there."""

    hertz: float
    db: float


def edges(power: Floats, bin_hz: float) -> list[Edge | None]:
    """The cliff in each of these power spectra (clips, bins), if it has one."""
    import numpy as np

    found: list[Edge | None] = [None] * len(power)
    bins, band, gap = power.shape[1], _count(_BAND_HZ, bin_hz), _count(_GAP_HZ, bin_hz)
    first, stop = max(2 * band, math.ceil(_LOWEST_HZ / bin_hz)), bins - gap - band
    if first >= stop:
        return found
    sums = np.zeros((len(power), bins + 1))
    np.cumsum(power, axis=1, out=sums[:, 1:])
    behind = sums[:, first + gap : stop + gap]
    below = (sums[:, first:stop] - sums[:, first - band : stop - band]) / band
    above = (sums[:, first + gap + band : stop + gap + band] - behind) / band
    floor = np.maximum(above, (sums[:, bins:] - behind) / np.arange(bins - first - gap, bins - stop - gap, -1))
    floor = np.maximum(floor, power.max(axis=1, keepdims=True) * 10 ** (-_DEPTH_DB / 10) + 1e-30)
    at = (below / floor).argmax(axis=1)
    for one, place in enumerate(at.tolist()):
        cliff = _Cliff(first + place, float(below[one, place]), float(floor[one, place]))
        if cliff.db >= _CLIFF_DB and _filled(sums[one], cliff, band):
            last = np.flatnonzero(power[one, cliff.end - band : cliff.end + gap] >= cliff.below / _NEAR)
            found[one] = Edge((cliff.end - band + int(last[-1])) * bin_hz, cliff.db)
    return found


class _Cliff(NamedTuple):
    """The bin at which it falls, the mean power below that, and that behind it."""

    end: int
    below: float
    floor: float

    @property
    def db(self) -> float:
        return _db(self.below / self.floor)


def _filled(sums: Floats, cliff: _Cliff, band: int) -> bool:
    """Whether the octave below the cliff is above its floor in each band."""
    filled = (sums[band + cliff.end // 2 : cliff.end + 1] - sums[cliff.end // 2 : cliff.end + 1 - band]).min() / band
    return _db(float(filled / cliff.floor)) >= _FILLED_DB


def tops_hz(power: Floats, bin_hz: float) -> list[float]:
    """For each spectrum (clips, bins) the highest frequency that is no more than 80 dB below the strongest."""
    heard = (power > power.max(axis=1, keepdims=True) * 10 ** (-_TOP_DB / 10))[:, ::-1]
    last = ((power.shape[1] - 1 - heard.argmax(axis=1)) * bin_hz).tolist()
    return [hertz if one else 0.0 for hertz, one in zip(last, heard.any(axis=1).tolist(), strict=True)]


def strongest_hz(power: Floats, bin_hz: float) -> list[float]:
    """The frequency of the strongest bin of each spectrum (clips, bins)."""
    return (power.argmax(axis=1) * bin_hz).tolist()  # type: ignore[no-any-return]


def above_quarter(power: Floats) -> list[float]:
    """The share of power above a quarter of the sample rate, of each spectrum (clips, bins)."""
    whole = power.sum(axis=1).tolist()
    high = power[:, power.shape[1] // 2 + 1 :].sum(axis=1).tolist()
    return [one / total if total else 0.0 for one, total in zip(high, whole, strict=True)]


def like_images(power: Floats) -> list[bool]:
    """Whether the upper half of each spectrum (clips, bins) is to the lower as an image is, by one of the laws."""
    import numpy as np

    half = (power.shape[1] - 1) // 2
    low, high = power[:, 1:half] + 1e-30, power[:, : half - 1 : -1][:, 1:half] + 1e-30
    fit = np.zeros(len(power), np.bool_)
    for law in _laws(half):
        fit |= _follows(high, low * law)
    found: list[bool] = fit.tolist()
    return found


@lru_cache(16)
def _laws(half: int) -> tuple[Floats, ...]:
    """The powers of images relative to what they are images of: of zeros, repeated samples, straight lines."""
    import numpy as np

    tangents = np.tan(np.pi * np.arange(1, half) / (4 * half))
    return tuple(tangents**order for order in (0, 2, 4))


def _follows(high: Floats, image: Floats) -> NDArray[np.bool_]:
    """Whether the upper half is as the law has the image, in all and in each band of its stronger half."""
    import numpy as np

    count = high.shape[1]
    starts = np.arange(_BANDS, 2 * _BANDS) * count // (2 * _BANDS)
    whole = high.sum(axis=1, keepdims=True) / image.sum(axis=1, keepdims=True)
    bands = np.add.reduceat(high, starts, axis=1) / np.add.reduceat(image, starts, axis=1)
    off = 10 * np.log10(np.maximum(np.concatenate([whole, bands], axis=1), 1e-30))
    within: NDArray[np.bool_] = np.abs(off).max(axis=1) < _WITHIN_DB
    return within


def mirror(frames: NDArray[np.complex64]) -> NDArray[np.complex64]:
    """The products (frames, some bins) of these spectra (frames, bins) where images are strongest and of their origins.

    Their phases are steady where they are images.
    """
    half = (frames.shape[1] - 1) // 2
    some = slice((half - 1) // 2, None, _EVERY)
    product: NDArray[np.complex64] = frames[:, 1:half][:, some] * frames[:, ::-1][:, 1:half][:, some]
    return product


def in_step(product: NDArray[np.complex64]) -> bool:
    """Whether the phase of the image follows that of what it is the image of."""
    import numpy as np

    strength = np.abs(product)
    loud = strength.max(axis=1)
    active = loud > _PAUSE * loud.max()
    if np.count_nonzero(active) < _FRAMES:
        return False
    steps = product[active] / np.maximum(strength[active], 1e-30)
    return float(np.abs(steps.mean(axis=0)).mean()) > _IN_STEP


def _count(hertz: float, bin_hz: float) -> int:
    return max(_FEWEST, round(hertz / bin_hz))


def _db(ratio: float) -> float:
    return 10 * math.log10(max(ratio, 1e-30))
