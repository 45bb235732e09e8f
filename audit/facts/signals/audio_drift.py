"""What was measured of a dataset's clips, held against those of other datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from audit.errors import CannotLook
from audit.facts.signals.audio_decode import AudioDecode
from audit.facts.signals.signal_drift import Columns, signal_drift
from audit.records.audio_decoded import DecodedClip, Sound, SoundsApart
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle

MEASURES: Mapping[str, Callable[[Sound], float | None]] = {
    "peak_dbfs": lambda one: _db(one.peak),
    "rms_dbfs": lambda one: _db(one.rms),
    "loudness_lufs": lambda one: one.loudness_lufs,
    "silence": lambda one: one.silent,
    "clipped": lambda one: one.clipped,
    "dc": lambda one: one.dc,
    "top_hz": lambda one: one.top_hz,
    "high_share_db": lambda one: _db(one.above_quarter**0.5),
}
"""What is compared; of silence there is no level."""


class AudioDrift(Request[SoundsApart]):
    """The clips of `current` against those of `references` together, in the project at `root`.

    Raises what `AudioDecode` does, and `CannotLook` where no clip of a side could be measured.
    """

    root: str
    references: tuple[Dataset, ...]
    current: Dataset
    false_alarms: float = 0.01

    def collect(self, ctx: Context) -> SoundsApart:
        """Decode all of both, as far as that has not been done, and compare."""
        there = [ctx.get(AudioDecode(root=self.root, dataset=one)) for one in self.references]
        here = ctx.get(AudioDecode(root=self.root, dataset=self.current))
        reference = [clip for one in there for clip in one.clips]
        sides = {", ".join(one.path for one in self.references): reference, self.current.path: here.clips}
        columns = [_columns(path, clips) for path, clips in sides.items()]
        return SoundsApart(
            drift=signal_drift(ctx, columns[0], columns[1], path=self.current.path, false_alarms=self.false_alarms),
            names=tuple(one.name for one in self.references),
            clips=len(reference),
            unseen=(*(obstacle for one in there for obstacle in one.unseen), *_unmeasured(reference, blind=True)),
            faulty=tuple(_unmeasured(reference, blind=False)),
        )


def _columns(path: str, clips: Sequence[DecodedClip]) -> Columns:
    found = [one.decoded.sound for one in clips if one.decoded.sound]
    if not found:
        raise CannotLook("no clip could be measured", where=path)
    return {name: [of(one) for one in found] for name, of in MEASURES.items()}


def _unmeasured(clips: Sequence[DecodedClip], *, blind: bool) -> Iterator[Obstacle]:
    """Clips without a sound: those that nothing here understands, or those that are known to be faulty."""
    for one in clips:
        if one.decoded.sound is None and blind is (not one.decoded.is_faulty):
            why = "; ".join(fault.what for fault in one.decoded.faults) or "holds no sound"
            yield Obstacle(one.path, f"of the clips to compare with: it {why}")


def _db(level: float) -> float | None:
    return 20 * math.log10(level) if level > 0 else None
