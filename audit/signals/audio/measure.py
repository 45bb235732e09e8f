"""What is measured of a clip while its blocks pass by: nothing is decoded twice, no clip is held whole."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from audit.records.audio_decoded import Sound
from audit.signals.audio.bandwidth import above_quarter, edge, mirrored, strongest_hz, top_hz
from audit.signals.audio.hum import Hum
from audit.signals.audio.loudness import integrated
from audit.signals.audio.repeats import Repeats
from audit.signals.audio.spectrum import Spectrum
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
    """Takes the blocks of one clip in their order, then says what was measured."""

    def __init__(self, rate: int, channels: int) -> None:
        import numpy as np

        self.frames = 0
        self.not_finite = 0
        self._rate, self._channels = rate, channels
        self._sums = np.zeros(channels)
        self._squares = 0.0
        self._tops, self._repeats = Tops(), Repeats()
        self._spectrum, self._hum = Spectrum(rate, channels), Hum(rate)
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
        self._spectrum.take(block)
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

    def sound(self) -> Sound | None:
        """What was measured; None where there were no samples."""
        import numpy as np

        if not self.frames:
            return None
        clipped, at = self._tops.clipped()
        inverted = self._mixed <= _LEFT * self._squares and self._tops.peak > 0
        levels = self._spectrum.levels()
        frames = levels.plain[0] if self._channels == 1 else levels.plain.mean(axis=0)
        square = self._squares / (self.frames * self._channels)
        return Sound(
            peak=float(self._tops.peak),
            rms=math.sqrt(square),
            loudest=math.sqrt(frames.max()),
            silent=int(np.count_nonzero(frames < _SILENT)) / len(frames),
            dc=float(max(self._sums / self.frames, key=abs)),
            loudness_lufs=integrated(levels.weighted, self._spectrum.frame_s),
            clipped=clipped / (self.frames * self._channels),
            clipped_at=at,
            alike="same" if self._same else "inverted" if inverted else "",
            repeats=self._repeats.factor(),
            **self._spectral(),
            **self._humming(square),
        )

    def _spectral(self) -> dict[str, Any]:
        """What the spectrum tells."""
        spectrum, power, bin_hz = self._spectrum, self._spectrum.power, self._spectrum.bin_hz
        found = edge(power, bin_hz)
        return {
            "bandwidth_hz": found.hertz if found else None,
            "edge_db": found.db if found else 0.0,
            "mirrored": spectrum.loudest is not None and mirrored(power, spectrum.loudest),
            "above_quarter": above_quarter(power),
            "strongest_hz": strongest_hz(power, bin_hz),
            "top_hz": top_hz(power, bin_hz),
        }

    def _humming(self, square: float) -> dict[str, Any]:
        """The hum, relative to the mean square of the clip."""
        lines = self._hum.found()
        if lines is None or not square:
            return {}
        return {"hum_hz": lines.hertz, "hum_db": 10 * math.log10(lines.power / square + 1e-30)}
