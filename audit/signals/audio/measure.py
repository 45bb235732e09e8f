"""What is measured of a clip while its blocks pass by: nothing is decoded twice, no clip is held whole."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from audit.records.audio_decoded import Sound
from audit.signals.audio.bandwidth import above_quarter, edges, in_step, like_images, strongest_hz, tops_hz
from audit.signals.audio.hum import Hum
from audit.signals.audio.loudness import integrated
from audit.signals.audio.repeats import Repeats
from audit.signals.audio.spectrum import Spectrum, power
from audit.signals.audio.tops import Tops

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

_SILENT = 1e-6
"""The mean square of a frame at -60 dBFS."""

_LEFT = 1e-6
"""The power of both channels mixed, relative to theirs: -60 dB, which rounding leaves of a channel and its mirror."""

_MOST = 1e10
"""Samples as large as this are no sound in any scale; their squares would not fit 32-bit floats either."""


@lru_cache(4)
def _ones(length: int, kind: np.dtype[Any]) -> NDArray[Any]:
    import numpy as np

    return np.ones(length, kind)


class Meter:
    """Takes the blocks of one clip in their order; `sounds` says what was measured."""

    def __init__(self, rate: int, channels: int) -> None:
        import numpy as np

        self.frames = 0
        self.not_finite = 0
        self._rate, self._channels = rate, channels
        self._sums = np.zeros(channels)
        self._squares = 0.0
        self._tops, self._repeats = Tops(), Repeats()
        self.spectrum, self._hum = Spectrum(rate, channels), Hum(rate)
        self._same = channels > 1
        self._mixed = 0.0 if channels == 2 else math.inf  # noqa: PLR2004 - one the mirror of the other

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels)."""
        import numpy as np

        squares = float(np.vdot(block, block))
        if not squares < _MOST**2:
            block, squares = self._mended(block)
        self.frames += len(block)
        self._squares += squares
        self._sums += _ones(len(block), block.dtype) @ block
        self._tops.take(block)
        self._repeats.take(block[:, 0])
        self.spectrum.take(block)
        self._hum.take(block)
        self._compare(block)

    def _mended(self, block: Samples) -> tuple[Samples, float]:
        """What is no number, or beyond all sound, becomes 0."""
        import numpy as np

        bad = ~(np.abs(block) < _MOST)
        self.not_finite += int(np.count_nonzero(bad))
        block = np.where(bad, 0, block)
        return block, float(np.square(block, dtype=np.float64).sum())

    def _compare(self, block: Samples) -> None:
        """Whether all channels are as the first, and what is left of two when they are mixed."""
        import numpy as np

        if self._same:
            self._same = all((block[:, 0] == block[:, each]).all() for each in range(1, self._channels))
        if self._mixed <= _LEFT * self._squares:
            mixed = block.sum(axis=1)
            self._mixed += float(np.vdot(mixed, mixed))

    @property
    def _mean_square(self) -> float:
        return self._squares / (self.frames * self._channels)

    def _levels(self) -> dict[str, Any]:
        """What the levels tell, and the samples."""
        import numpy as np

        levels = self.spectrum.levels()
        frames = levels.plain[0] if self._channels == 1 else levels.plain.mean(axis=0)
        clipped, at = self._tops.clipped()
        inverted = self._mixed <= _LEFT * self._squares and self._tops.peak > 0
        return {
            "peak": float(self._tops.peak),
            "rms": math.sqrt(self._mean_square),
            "loudest": math.sqrt(frames.max()),
            "silent": int(np.count_nonzero(frames < _SILENT)) / len(frames),
            "dc": max(self._sums.tolist(), key=abs) / self.frames,
            "loudness_lufs": integrated(levels.weighted, self.spectrum.frame_s),
            "clipped": clipped / (self.frames * self._channels),
            "clipped_at": at,
            "alike": "same" if self._same else "inverted" if inverted else "",
            "repeats": self._repeats.factor(),
        }

    def _humming(self) -> dict[str, Any]:
        """The hum, relative to the mean square of the clip."""
        lines = self._hum.found()
        if lines is None or not self._mean_square:
            return {}
        return {"hum_hz": lines.hertz, "hum_db": 10 * math.log10(lines.power / self._mean_square + 1e-30)}

    def sound(self, spectral: dict[str, Any]) -> Sound:
        """What was measured, and what the spectrum tells."""
        return Sound(**spectral, **self._levels(), **self._humming())


def sounds(meters: Sequence[Meter]) -> list[Sound | None]:
    """What they measured; None where there were no samples. Spectra of one sample rate are looked at together."""
    found: list[Sound | None] = [None] * len(meters)
    rates: defaultdict[int, list[int]] = defaultdict(list)
    for place, meter in enumerate(meters):
        if meter.frames:
            rates[meter.spectrum.rate].append(place)
    for places in rates.values():
        for place, spectral in zip(places, _spectral([meters[one].spectrum for one in places]), strict=True):
            found[place] = meters[place].sound(spectral)
    return found


def _spectral(spectra: Sequence[Spectrum]) -> Iterator[dict[str, Any]]:
    """What spectra of one sample rate tell."""
    powers, bin_hz = power(spectra), spectra[0].bin_hz
    found = edges(powers, bin_hz), like_images(powers), above_quarter(powers)
    places = strongest_hz(powers, bin_hz), tops_hz(powers, bin_hz)
    for spectrum, edge, alike, above, strongest, top in zip(spectra, *found, *places, strict=True):
        yield {
            "bandwidth_hz": edge.hertz if edge else None,
            "edge_db": edge.db if edge else 0.0,
            "mirrored": alike and spectrum.mirror is not None and in_step(spectrum.mirror),
            "above_quarter": above,
            "strongest_hz": strongest,
            "top_hz": top,
        }
