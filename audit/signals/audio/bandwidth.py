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


def edge(power: Floats, bin_hz: float) -> Edge | None:
    """The cliff in a power spectrum, if it has one."""
    import numpy as np

    bins, band, gap = len(power), _count(_BAND_HZ, bin_hz), _count(_GAP_HZ, bin_hz)
    first, stop = max(2 * band, math.ceil(_LOWEST_HZ / bin_hz)), bins - gap - band
    if first >= stop:
        return None
    sums = np.concatenate(([0.0], np.cumsum(power)))
    behind = sums[first + gap : stop + gap]
    below = (sums[first:stop] - sums[first - band : stop - band]) / band
    above = (sums[first + gap + band : stop + gap + band] - behind) / band
    floor = np.maximum(above, (sums[bins] - behind) / np.arange(bins - first - gap, bins - stop - gap, -1))
    floor = np.maximum(floor, power.max() * 10 ** (-_DEPTH_DB / 10) + 1e-30)
    ratio = below / floor
    at = int(np.argmax(ratio))
    end, drop = first + at, _db(float(ratio[at]))
    if drop < _CLIFF_DB:
        return None
    filled = (sums[band + end // 2 : end + 1] - sums[end // 2 : end + 1 - band]).min() / band
    if _db(float(filled / floor[at])) < _FILLED_DB:
        return None
    last = np.flatnonzero(power[end - band : end + gap] >= below[at] / _NEAR)
    return Edge((end - band + int(last[-1])) * bin_hz, drop)


def top_hz(power: Floats, bin_hz: float) -> float:
    """The highest frequency that is no more than 80 dB below the strongest."""
    heard = (power > power.max() * 10 ** (-_TOP_DB / 10))[::-1]
    return float((len(power) - 1 - heard.argmax()) * bin_hz) if heard[heard.argmax()] else 0.0


def strongest_hz(power: Floats, bin_hz: float) -> float:
    """The frequency of the strongest bin."""
    return float(power.argmax() * bin_hz)


def above_quarter(power: Floats) -> float:
    """The share of power above a quarter of the sample rate."""
    total = float(power.sum())
    return float(power[len(power) // 2 + 1 :].sum()) / total if total else 0.0


def mirrored(power: Floats, frames: NDArray[np.complex64]) -> bool:
    """Whether a clip of this power has in its upper half the image of the lower: by its law, and in step.

    `frames` are some of its spectra (frames, bins).
    """
    half = (len(power) - 1) // 2
    low, high = power[1:half] + 1e-30, power[: half - 1 : -1][1:half] + 1e-30
    fit = [law for law in _laws(half) if abs(_db(float(high.sum() / (low @ law)))) < _WITHIN_DB]
    return any(_follows(low, high, law) for law in fit) and _in_step(frames[:, 1:half], frames[:, ::-1][:, 1:half])


@lru_cache(16)
def _laws(half: int) -> tuple[Floats, ...]:
    """The powers of images relative to what they are images of: of zeros, repeated samples, straight lines."""
    import numpy as np

    tangents = np.tan(np.pi * np.arange(1, half) / (4 * half))
    return tuple(tangents**order for order in (0, 2, 4))


def _follows(low: Floats, high: Floats, law: Floats) -> bool:
    """Whether the image is as the law has it in each band of its stronger half."""
    import numpy as np

    starts = np.arange(_BANDS, 2 * _BANDS) * len(law) // (2 * _BANDS)
    ratios = np.add.reduceat(high, starts) / np.add.reduceat(low * law, starts)
    return abs(_db(float(ratios.min()))) < _WITHIN_DB and abs(_db(float(ratios.max()))) < _WITHIN_DB


def _in_step(low: NDArray[np.complex64], high: NDArray[np.complex64]) -> bool:
    """Whether the phase of the image follows that of what it is the image of, in the bins where it is strongest."""
    import numpy as np

    some = slice(low.shape[1] // 2, None, _EVERY)
    product = low[:, some] * high[:, some]
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
