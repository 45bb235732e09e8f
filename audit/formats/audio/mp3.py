"""Headers of files of MPEG audio: one frame, and what encoders write in its place of all the others.

Sources: those of `mpeg`; the tag of Xing with LAME's extension (the MP3 Info Tag, revision 1), whose name is `Info`
where the bit rate is constant; that of Fraunhofer, `VBRI`. Where there is none, every frame is counted.
"""

from __future__ import annotations

from typing import NamedTuple

from audit.formats.audio import tags
from audit.formats.audio.common import cut, disagreeing, known
from audit.formats.audio.frames import Frame, first, walk
from audit.formats.audio.mpeg import Mpeg, mpeg
from audit.formats.pieces import Pieces
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

_SIDE = {(1, 1): 17, (1, 2): 32, (2, 1): 9, (2, 2): 17}
"""Bytes of side information behind a header, by version and channels: the tag of Xing follows them."""

_VBRI = 4 + 32
"""Where in a frame Fraunhofer's tag begins."""

_ENCODERS = (b"LAME", b"Lavf", b"Lavc")
"""Those that tell how many samples they put before and behind the sound."""

_MORE = 4096
"""Bytes behind the sound that may be anything; more is sound that the tag does not tell of."""


_LESS = 1024
"""Bytes that may be missing where the encoder is not known: some count what is no sound."""


class _Tag(NamedTuple):
    """How many frames there are beside the one that holds the tag, in how many bytes with it (0 where not said).

    `silent` are samples before and behind the sound.
    """

    frames: int
    length: int
    silent: int = 0


def parse(pieces: Pieces) -> Header | None:
    """The header of a file of MPEG audio; None if it is none. Raises `FormatError`."""
    end = tags.end(pieces)
    at = first(pieces, end, _step)
    place = at or 0
    found = mpeg(pieces.some(place, 4))
    if found is None:
        return None
    tag = _xing(pieces, place, found) or _vbri(pieces, place)
    if at is None and not (tag and not found.size):  # where the bit rate is free, only the tag tells that it is sound
        return None
    form = known("MP3", f"MPEG_LAYER_{'I' * found.layer}", found.rate, found.channels)
    if tag and tag.frames and not _joined(tag, found, end - place):
        return _told(form, tag, found, end - place)
    run = walk(pieces, place + (found.size if tag else 0), end, _step)
    declared = tag.frames * found.samples if tag else 0
    more = (disagreeing(declared, run.samples),) if 0 < declared < run.samples - found.samples else ()
    return Header(format=form, frames=run.samples, length=run.length, faults=(*run.faults, *more))


def _joined(tag: _Tag, found: Mpeg, there: int) -> bool:
    """Far more sound than the tag tells of: several files in one."""
    return bool(tag.length and found.size and there > tag.length + _MORE)


def _told(form: AudioFormat, tag: _Tag, found: Mpeg, there: int) -> Header:
    frames = max(0, tag.frames * found.samples - tag.silent)
    faults = (cut(tag.length, there),) if there < tag.length - (0 if tag.silent else _LESS) else ()
    if not frames and not faults:
        faults = (Fault(kind="empty", what="holds no sound but what its encoder added"),)
    return Header(format=form, frames=frames, length=Length.DECLARED, faults=faults)


def _step(head: bytes) -> Frame | None:
    found = mpeg(head[:4])
    return Frame(found.size, found.samples, (found.version, found.layer, found.rate)) if found and found.size else None


def _xing(pieces: Pieces, at: int, found: Mpeg) -> _Tag | None:
    place = at + 4 + _SIDE[found.version, found.channels]
    body = pieces.some(place, 160)
    if body[:4] not in {b"Xing", b"Info"}:
        return None
    flags, place, frames, length = int.from_bytes(body[4:8], "big"), 8, 0, 0
    if flags & 1:
        frames, place = int.from_bytes(body[place : place + 4], "big"), place + 4
    if flags & 2:
        length, place = int.from_bytes(body[place : place + 4], "big"), place + 4
    place += (100 if flags & 4 else 0) + (4 if flags & 8 else 0)
    return _Tag(frames, length, _silent(body[place : place + 24]))


def _silent(body: bytes) -> int:
    """Samples before and behind the sound: 12 bits each, 21 bytes behind the name of the encoder."""
    if not body.startswith(_ENCODERS):
        return 0
    both = int.from_bytes(body[21:24], "big")
    return (both >> 12) + (both & 0xFFF)


def _vbri(pieces: Pieces, at: int) -> _Tag | None:
    body = pieces.some(at + _VBRI, 18)
    if not body.startswith(b"VBRI"):
        return None
    return _Tag(int.from_bytes(body[14:18], "big"), int.from_bytes(body[10:14], "big"))
