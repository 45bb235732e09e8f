"""Clips: what came out when they were decoded whole."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.drift import Measured
from audit.records.obstacle import Obstacle
from audit.records.signals import BLIND, Fault


class Sound(Record, gc=False):
    """What was measured of all samples of a clip, decoded to floats of which 1.0 is full scale.

    Levels are of all channels together (mean squares averaged), shares are of its samples or of its frames of about
    30 ms. `peak` is the largest magnitude, `rms` the root of the mean square, `loudness_lufs` the integrated loudness
    of ITU-R BS.1770-4 (None: shorter than 400 ms, or all of it gated away). `loudest` is the RMS without DC of the
    loudest frame, `silent` the share of frames below -60 dBFS. `dc` is the mean of the channel where it is farthest
    from 0. `clipped` is the share of samples in flat tops of three or more at the extreme `clipped_at`, which is 0.0
    where there are none.

    `bandwidth_hz` is where the spectrum ends abruptly, falling by `edge_db`; None where it does nowhere. `repeats` says
    that each sample stands so many times in a row, and `mirrored` that the upper half of the spectrum is an image of
    the lower; `above_quarter` is the share of power above a quarter of the sample rate, `strongest_hz` the strongest
    frequency, `top_hz` the highest that is no more than 80 dB below it.
    `hum_hz` is 50 or 60 where lines of the mains stand out, of `hum_db` relative to the whole; else 0.
    `alike` says that all channels are the `same`, or one the other `inverted`; else it is empty.
    """

    peak: float
    rms: float
    loudest: float
    silent: float
    dc: float = 0.0
    loudness_lufs: float | None = None
    clipped: float = 0.0
    clipped_at: float = 0.0
    alike: str = ""
    bandwidth_hz: float | None = None
    edge_db: float = 0.0
    repeats: int = 1
    mirrored: bool = False
    above_quarter: float = 0.0
    strongest_hz: float = 0.0
    top_hz: float = 0.0
    hum_hz: int = 0
    hum_db: float = 0.0


class DecodedAudio(Record, gc=False):
    """What decoding a file said. `container` and `subtype` are spelled as libsndfile does.

    `container` is empty where the file could not be opened as audio. `frames` were decoded, samples of each channel;
    `claimed` are those that the file says it holds, None where it does not say. Without a `sound` there was none.
    """

    container: str = ""
    subtype: str = ""
    sample_rate_hz: int = 0
    channels: int = 0
    frames: int = 0
    claimed: int | None = None
    faults: tuple[Fault, ...] = ()
    sound: Sound | None = None

    @property
    def is_faulty(self) -> bool:
        """Whether something is known to be wrong with it, and not only that nothing here understands it."""
        return any(fault.kind not in BLIND for fault in self.faults)


class DecodedClip(Record, gc=False):
    """A file of a dataset, decoded. `path` is relative to the project."""

    path: str
    decoded: DecodedAudio


class DecodedClips(Record):
    """The clips of a dataset at `path` in the order of their paths, and what could not be looked at."""

    path: str
    clips: tuple[DecodedClip, ...]
    unseen: tuple[Obstacle, ...] = ()


class SoundsApart(Record):
    """How the sound of a dataset stands to that of others: by their names, of `clips` clips in all.

    `unseen` are clips of the others that could not be looked at, `faulty` those that were and are none that can be
    decoded, with what is wrong with them: they take no part.
    """

    drift: Measured
    names: tuple[str, ...]
    clips: int
    unseen: tuple[Obstacle, ...] = ()
    faulty: tuple[Obstacle, ...] = ()
