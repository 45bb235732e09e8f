"""A clip decoded whole, in blocks, held against what its header says, and measured on the way."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from audit.formats.audio.header import header
from audit.records.audio import Header
from audit.records.audio_decoded import DecodedAudio
from audit.records.signals import Fault
from audit.signals.audio.claims import DOUBTS, Read, opened, unopened
from audit.signals.audio.measure import Meter, sounds
from audit.signals.audio.stored import Stored, blocks, stored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

BLOCK = 1 << 17
"""Samples of all channels that are in memory at once."""

HEAD = 4096
_ZEROS = 1 << 18
_NO_CONTENT = frozenset({"empty", "pointer", "foreign"})
_UNSURE = 1152
"""Samples in a frame of MPEG audio: how far its length may be off where no encoder wrote it down."""

_LENGTHS = (b"LAME", b"Lavf", b"Lavc")
"""What stands in the first frame of an MP3 whose encoder wrote its length down, to the sample."""


class Taken(NamedTuple):
    """What decoding a file said, without its sound; and what took its samples, None where there were none."""

    decoded: DecodedAudio
    meter: Meter | None = None


def measured(taken: Sequence[Taken]) -> list[DecodedAudio]:
    """What decoding these files said, their sounds measured together: they are reckoned in a few large steps."""
    said = [one.decoded for one in taken]
    places = [place for place, one in enumerate(taken) if one.meter]
    for place, sound in zip(places, sounds([one.meter for one in taken if one.meter]), strict=True):
        said[place] = structs.replace(said[place], sound=sound)
    return said


def decode(file: io.FileIO) -> Taken:
    """Decode all of an open file; a faulty file has its faults in the answer.

    Raises `OSError` where the file cannot be read, `MemoryError`.
    """
    size = os.fstat(file.fileno()).st_size
    head = os.pread(file.fileno(), HEAD, 0)

    def read(offset: int, length: int) -> bytes:
        return os.pread(file.fileno(), length, offset)

    if not head.strip(b"\0") and (fault := _nothing(read, size)):
        return Taken(DecodedAudio(faults=(fault,)))
    said = header(head, size, read)
    if not said.format and any(fault.kind in _NO_CONTENT for fault in said.faults):
        return Taken(DecodedAudio(faults=said.faults))
    if found := stored(said, head):
        return _taken(found, read)
    return _opened(file, head, said, read)


def _taken(found: Stored, read: Read) -> Taken:
    """What the samples are that the file stores as they are."""
    form = found.format
    meter = Meter(form.sample_rate_hz, form.channels)
    for block in blocks(found, read, _most(form.channels)):
        meter.take(block)
    decoded = DecodedAudio(
        container=form.container,
        subtype=form.subtype,
        sample_rate_hz=form.sample_rate_hz,
        channels=form.channels,
        frames=meter.frames,
        claimed=found.frames,
        faults=tuple(_found((), meter, ())),
    )
    return Taken(decoded, meter)


def _opened(file: io.FileIO, head: bytes, said: Header, read: Read) -> Taken:
    """What libsndfile makes of a file."""
    import soundfile

    os.lseek(file.fileno(), 0, os.SEEK_SET)
    try:
        sound = soundfile.SoundFile(file.fileno(), closefd=False)
    except soundfile.LibsndfileError as error:
        return Taken(DecodedAudio(faults=unopened(said, error.error_string)))
    with sound:
        faults = opened(said, sound.extra_info, read, os.fstat(file.fileno()).st_size)
        return _decoded(sound, faults, slack=_slack(sound, head))


def _decoded(sound: Any, faults: Iterable[Fault], slack: int) -> Taken:
    meter = Meter(sound.samplerate, sound.channels)
    failure = _passed(sound, meter)
    claimed = sound.frames if 0 < sound.frames < 1 << 62 else None
    decoded = DecodedAudio(
        container=sound.format,
        subtype=sound.subtype,
        sample_rate_hz=sound.samplerate,
        channels=sound.channels,
        frames=meter.frames,
        claimed=claimed,
        faults=tuple(_found(faults, meter, _short(meter.frames, claimed, failure, slack))),
    )
    return Taken(decoded, meter)


def _found(claims: Iterable[Fault], meter: Meter, short: Iterable[Fault]) -> Iterator[Fault]:
    """What the file says of itself; if that is not the reason already, what decoding says; and no numbers."""
    known = tuple(claims)
    yield from known
    if all(fault.kind in DOUBTS for fault in known):
        missing = tuple(short)
        yield from missing
        if not meter.frames and not missing:
            yield Fault(kind="empty", what="holds no sound: no samples", found=0)
    if meter.not_finite:
        what = f"holds {meter.not_finite:,} samples that are NaN, infinite or beyond all sound"
        yield Fault(kind="non-finite", what=what, expected=0, found=meter.not_finite)


def _passed(sound: Any, meter: Meter) -> str:
    """Have all blocks measured; what keeps the decoder from going on, empty where it reached the end."""
    import soundfile

    try:
        for block in _blocks(sound):
            meter.take(block)
    except soundfile.LibsndfileError as error:
        return error.error_string.strip(" .") or "the decoder gives up"
    return ""


def _blocks(sound: Any) -> Iterator[Samples]:
    """The samples (frames, channels), a whole number of the meter's frames at a time."""
    import numpy as np

    most = _most(sound.channels)
    kind = np.float64 if sound.subtype == "DOUBLE" else np.float32
    room = np.empty((min(most, max(0, sound.frames) + 1), sound.channels), kind)
    while len(block := sound.read(out=room)):
        yield block
        if len(block) < len(room):
            return


def _most(channels: int) -> int:
    """The frames of a block."""
    return max(1, BLOCK // channels // 4096) * 4096


def _slack(sound: Any, head: bytes) -> int:
    return _UNSURE if sound.format == "MP3" and not any(sign in head for sign in _LENGTHS) else 0


def _short(frames: int, claimed: int | None, failure: str, slack: int) -> Iterator[Fault]:
    """What is missing of what the header claims."""
    if failure:
        what = f"is damaged or cut: of {claimed or 0:,} frames, not all behind the first {frames:,} can be decoded"
        yield Fault(kind="corrupt", what=f"{what} ({failure})", expected=claimed, found=frames)
    elif (claimed or 0) - frames > slack:
        what = f"holds {frames:,} of the {claimed:,} frames that it claims"
        yield Fault(kind="truncated", what=what, expected=claimed, found=frames)


def _nothing(read: Read, size: int) -> Fault | None:
    """A file of nothing but zeros."""
    if not size or any(read(at, _ZEROS).strip(b"\0") for at in range(0, size, _ZEROS)):
        return None
    return Fault(kind="empty", what=f"is {size:,} bytes, all of them zero", found=size)
