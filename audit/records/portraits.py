"""Clips and pictures as a report shows them: drawn anew by us, small, nothing of the files' bytes passed on."""

from __future__ import annotations

from audit.records.base import Record


class ClipPortrait(Record):
    """A clip over time: the range of its samples, and what frequencies are in it, over all channels.

    `low` and `high` are the least and the greatest sample of each of at most 600 equal parts of `seconds`, in
    hundredths of full scale (1.0), or of `peak`, the largest sample, where that is larger. `clipped` are the parts
    with flat tops near full scale. `spectrogram` is a PNG, base64: time from left to right, 0 Hz to half the
    sample rate from bottom to top, brightness by level in dB. `whole` unless the clip goes on behind `seconds`.
    """

    sample_rate_hz: int
    channels: int
    seconds: float
    whole: bool
    low: tuple[int, ...]
    high: tuple[int, ...]
    peak: float
    clipped: tuple[int, ...]
    spectrogram: str


class PicturePortrait(Record):
    """A picture made small, upright, in RGB over a chequered ground: a JPEG, base64, `width` by `height` pixels.

    `cut` says that a part of it could not be decoded; that part is as the decoder leaves it, grey or black.
    """

    jpeg: str
    width: int
    height: int
    cut: bool = False


class Offender(Record):
    """A file that something is wrong with, and what, for people."""

    path: str
    reason: str
