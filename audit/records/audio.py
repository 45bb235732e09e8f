"""Clips: what their headers say."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault, Length


class AudioFormat(Record, gc=False):
    """How a clip is stored; files of one format share one such record.

    `container` is what the bytes say, whatever the name says: `WAV`, `RF64`, `W64`, `AIFF`, `FLAC`, `OGG`, `MP3`
    (MPEG audio of all layers), `MP4`, `ADTS`, `NIST` (SPHERE). `subtype` is spelled as libsndfile does (`PCM_16`,
    `PCM_U8`, `FLOAT`, `ULAW`, `MS_ADPCM`, `VORBIS`, `OPUS`, `MPEG_LAYER_III`, `ALAC_16`, ...), and `AAC`, `SPEEX` or
    `SHORTEN` where it has no word.
    `sample_rate_hz` is that of the decoded sound: 48000 for Opus, whatever was put in (RFC 7845). `bits` are those of
    a sample that hold sound; None where the coding has none.
    """

    container: str
    subtype: str
    sample_rate_hz: int
    channels: int
    bits: int | None = None


class Header(Record, gc=False):
    """What the header of a file says. Without a `format` there is a fault that says why.

    `frames` are samples per channel; None where they cannot be known without decoding.
    """

    format: AudioFormat | None = None
    frames: int | None = None
    length: Length = Length.EXACT
    faults: tuple[Fault, ...] = ()


class Clip(Record, gc=False):
    """A file of a dataset and its header. `path` is relative to the project, `location` absolute; `size` in bytes."""

    path: str
    location: str
    size: int
    header: Header

    @property
    def duration_s(self) -> float | None:
        """Seconds, as far as the header tells."""
        form, frames = self.header.format, self.header.frames
        return frames / form.sample_rate_hz if form and form.sample_rate_hz and frames is not None else None


class Clips(Record):
    """The clips of a dataset in the order of their paths, and what could not be looked at."""

    clips: tuple[Clip, ...]
    unseen: tuple[Obstacle, ...] = ()
