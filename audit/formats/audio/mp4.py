"""Headers of MP4, M4A and QuickTime files: the first track of sound, and whether all of the media is there.

Sources: ISO/IEC 14496-12, 8.3 to 8.8 (the boxes; an edit list, `elst`, leaves out what encoders put before the sound);
QuickTime File Format (Apple), on the versions of a sound description. How its sound is stored tells `mp4_sound`.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.audio.boxes import Box, boxes, inside
from audit.formats.audio.mp4_sound import described
from audit.formats.pieces import CutError, Pieces
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

MAGIC = frozenset({b"ftyp", b"moov", b"mdat", b"wide"})
"""Names of boxes with which a file may begin."""

_EDITS = 100
"""More edits than any track has that was made to be played from end to end."""


_EDIT, _WIDE_EDIT = struct.Struct(">Ii4x"), struct.Struct(">Qq4x")


class _Time(NamedTuple):
    """A length, in ticks of so many a second."""

    ticks: int
    scale: int


def parse(pieces: Pieces) -> Header:
    """The header of an MP4 file. Raises `FormatError`."""
    top = list(boxes(pieces, 0, pieces.size))
    last = top[-1] if top else Box(b"", 0, 0)
    moov = next((box for box in top if box.name == b"moov"), None)
    if moov is None or moov.end > pieces.size:
        raise CutError("ends before its index (`moov`) does: was it written to its end?")
    header = _header(pieces, moov)
    if last.end > pieces.size:
        return _cut(header, last.end - last.at, pieces.size - last.at)
    return header


def _cut(header: Header, declared: int, there: int) -> Header:
    what = f"is cut: {declared - there} of {declared} bytes of its last box are missing"
    fault = Fault(kind="truncated", what=what, expected=declared, found=there)
    return Header(format=header.format, frames=header.frames, length=header.length, faults=(fault,))


def _header(pieces: Pieces, moov: Box) -> Header:
    for trak in boxes(pieces, moov.at, moov.end):
        media = inside(pieces, trak, b"mdia") if trak.name == b"trak" else None
        handler = inside(pieces, media, b"hdlr") if media else None
        if media and handler and handler.take(pieces, 8, 4) == b"soun":
            return _track(pieces, moov, trak, media)
    raise FormatError("is an MP4 file without a track of sound")


def _track(pieces: Pieces, moov: Box, trak: Box, media: Box) -> Header:
    time, stsd = _time(pieces, inside(pieces, media, b"mdhd")), inside(pieces, media, b"minf", b"stbl", b"stsd")
    if not stsd or not time:
        raise FormatError("has a track of sound that does not say how it is stored")
    form = described(pieces, stsd)
    if not time.ticks:
        return _fragments(form, time, pieces, moov)
    heard = _edited(pieces, trak, time, _time(pieces, inside(pieces, moov, b"mvhd")))
    return Header(format=form, frames=round(heard * form.sample_rate_hz / time.scale), length=Length.DECLARED)


def _fragments(form: AudioFormat, time: _Time, pieces: Pieces, moov: Box) -> Header:
    """Where the sound is in fragments, the index does not say how long it is."""
    if inside(pieces, moov, b"mvex"):
        return Header(format=form, length=Length.DECLARED)
    return Header(format=form, frames=time.ticks, faults=(Fault(kind="empty", what="holds no sound"),))


def _time(pieces: Pieces, box: Box | None) -> _Time | None:
    """What `mdhd` and `mvhd` say: ticks a second, and how many."""
    if box is None:
        return None
    wide = box.take(pieces, 0, 1) == b"\1"
    at, size = (20, 8) if wide else (12, 4)
    scale = int.from_bytes(box.take(pieces, at, 4), "big")
    ticks = int.from_bytes(box.take(pieces, at + 4, size), "big")
    return _Time(0 if ticks == (1 << size * 8) - 1 else ticks, scale) if scale else None


def _edited(pieces: Pieces, trak: Box, media: _Time, movie: _Time | None) -> int:
    """The ticks of the media that are heard, by the edit list: its lengths are in ticks of the movie, which are coarse.

    An edit to the end of the media is one that leaves off within such a tick of it.
    """
    edits = _edits(pieces, inside(pieces, trak, b"edts", b"elst")) if movie else []
    if not movie or not edits:
        return media.ticks
    rough = sum(length for length, _ in edits) * media.scale // movie.scale
    rest = max(0, media.ticks - edits[0][1])
    tick = media.scale // movie.scale + 1
    return rest if not rough or (len(edits) == 1 and abs(rest - rough) <= tick) else min(rough, media.ticks)


def _edits(pieces: Pieces, elst: Box | None) -> list[tuple[int, int]]:
    """Length and beginning of each edit but those of silence."""
    if elst is None:
        return []
    form = _WIDE_EDIT if elst.take(pieces, 0, 1) == b"\1" else _EDIT
    count = min(_EDITS, int.from_bytes(elst.take(pieces, 4, 4), "big"))
    edits = form.iter_unpack(elst.take(pieces, 8, count * form.size))
    return [(length, begin) for length, begin in edits if begin >= 0]
