"""What is measured of a clip while its blocks pass by: nothing is decoded twice, no clip is held whole."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from audit.records.audio_decoded import Sound
from audit.signals.audio.tops import Tops

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]


class Meter:
    """Takes the blocks of one clip in their order, then says what was measured."""

    def __init__(self, rate: int, channels: int) -> None:
        import numpy as np

        self.frames = 0
        self.not_finite = 0
        self._rate, self._channels = rate, channels
        self._sums = np.zeros(channels)
        self._squares = 0.0
        self._tops = Tops()
        self._same = self._inverted = channels > 1

    def take(self, block: Samples) -> None:
        """The next samples (frames, channels)."""
        import numpy as np

        squares = float(np.vdot(block, block))
        if not math.isfinite(squares):
            block, squares = self._mended(block)
        self.frames += len(block)
        self._squares += squares
        self._sums += block.sum(axis=0, dtype=np.float64)
        self._tops.take(block)
        self._compare(block)

    def _mended(self, block: Samples) -> tuple[Samples, float]:
        """What is no number becomes 0."""
        import numpy as np

        bad = ~np.isfinite(block)
        self.not_finite += int(np.count_nonzero(bad))
        block = np.where(bad, 0, block)
        return block, float(np.square(block, dtype=np.float64).sum())

    def _compare(self, block: Samples) -> None:
        """Whether all channels are as the first, or its mirror."""
        if self._same:
            self._same = all((block[:, 0] == block[:, each]).all() for each in range(1, self._channels))
        if self._inverted:
            self._inverted = self._channels == 2 and bool((block[:, 0] == -block[:, 1]).all())  # noqa: PLR2004

    def sound(self) -> Sound | None:
        """What was measured; None where there were no samples."""
        if not self.frames:
            return None
        clipped, at = self._tops.clipped()
        dc = max(self._sums / self.frames, key=abs)
        return Sound(
            peak=float(self._tops.peak),
            rms=math.sqrt(self._squares / (self.frames * self._channels)),
            loudest=0.0,
            silent=0.0,
            dc=float(dc),
            clipped=clipped / (self.frames * self._channels),
            clipped_at=at,
            alike="same" if self._same else "inverted" if self._inverted else "",
        )
