"""A clip decoded whole, in blocks, held against what its header says, and measured on the way."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from audit.formats.lfs import POINTER_LIMIT, pointer_size
from audit.records.audio_decoded import DecodedAudio
from audit.records.signals import Fault
from audit.signals.audio.claims import cut
from audit.signals.audio.measure import Meter
from audit.signals.audio.signs import unopened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

BLOCK = 1 << 17
"""Samples of all channels that are in memory at once."""

HEAD = 4096
_ZEROS = 1 << 18
_UNSURE = 1152
"""Samples in a frame of MPEG audio: how far its length may be off where no encoder wrote it down."""

_LENGTHS = (b"LAME", b"Lavf", b"Lavc")
"""What stands in the first frame of an MP3 whose encoder wrote its length down, to the sample."""


def decode(file: io.FileIO) -> DecodedAudio:
    """Decode all of an open file; a faulty file has its faults in the answer.

    Raises `OSError` where the file cannot be read, `MemoryError`.
    """
    import soundfile

    size = os.fstat(file.fileno()).st_size
    head = os.pread(file.fileno(), HEAD, 0)
    if fault := _nothing(file, head, size):
        return DecodedAudio(faults=(fault,))
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    try:
        sound = soundfile.SoundFile(file.fileno(), closefd=False)
    except soundfile.LibsndfileError as error:
        return DecodedAudio(faults=(unopened(head, size, error.error_string),))
    with sound:
        return _decoded(file, sound, head, size)


def _decoded(file: io.FileIO, sound: Any, head: bytes, size: int) -> DecodedAudio:
    meter = Meter(sound.samplerate, sound.channels)
    failure = _measured(sound, meter)
    claimed = sound.frames if 0 < sound.frames < 1 << 62 else None
    faults = [*cut(file, sound, head, size), *_short(meter.frames, claimed, failure, _slack(sound, head))][:1]
    if not meter.frames and not faults:
        faults = [Fault(kind="empty", what="holds no sound: no samples", found=0)]
    if meter.not_finite:
        what = f"holds {meter.not_finite:,} samples that are NaN, infinite or beyond all sound"
        faults.append(Fault(kind="non-finite", what=what, expected=0, found=meter.not_finite))
    return DecodedAudio(
        container=sound.format,
        subtype=sound.subtype,
        sample_rate_hz=sound.samplerate,
        channels=sound.channels,
        frames=meter.frames,
        claimed=claimed,
        faults=tuple(faults),
        sound=meter.sound(),
    )


def _measured(sound: Any, meter: Meter) -> str:
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

    most = max(1, BLOCK // sound.channels // 4096) * 4096
    kind = np.float64 if sound.subtype == "DOUBLE" else np.float32
    room = np.empty((min(most, max(0, sound.frames) + 1), sound.channels), kind)
    while len(block := sound.read(out=room)):
        yield block
        if len(block) < len(room):
            return


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


def _nothing(file: io.FileIO, head: bytes, size: int) -> Fault | None:
    """What a file is that has no content of its own."""
    if size < POINTER_LIMIT and pointer_size(head)[0]:
        return Fault(kind="pointer", what="is a Git LFS pointer, not content")
    if not size:
        return Fault(kind="empty", what="is empty: 0 bytes", found=0)
    if head.strip(b"\0"):
        return None
    places = range(0, size, _ZEROS)
    if any(os.pread(file.fileno(), _ZEROS, at).strip(b"\0") for at in places):
        return None
    return Fault(kind="empty", what=f"is {size:,} bytes, all of them zero", found=size)
