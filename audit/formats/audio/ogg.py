"""Headers of Ogg files: Vorbis, Opus, FLAC and Speex, and the length from the position of the last page.

Sources: RFC 3533 (Ogg); Vorbis I, section 4.2.2 and A.2; RFC 7845 (Opus in Ogg: the decoder puts out 48 kHz, and the
first samples, pre-skip, are not part of the sound); Ogg mapping of FLAC (RFC 9639, section 10.1); the Speex manual.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from audit.formats.audio.common import known
from audit.formats.audio.flac import STREAMINFO, stream_info
from audit.formats.pieces import CutError, Pieces, UnsupportedError
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

MAGIC = b"OggS"

_PAGE = struct.Struct("<4sBBQIIIB")
_LARGEST = 27 + 255 + 255 * 255
"""Bytes of the largest page; most have some 4,500."""

_TAIL = 1 << 14
"""Bytes at the end of a file in which its last page is looked for first."""

_FIRST, _LAST = 2, 4
"""Flags of a page: it begins a stream, it ends one."""

_NOWHERE = (1 << 64) - 1
"""The position of a page on which no packet ends."""

_STREAMS = 16
"""More streams than are ever told of, side by side, at the beginning of a file."""

_VORBIS = struct.Struct("<7xIBI")
_OPUS = struct.Struct("<8xBBH")
_SPEEX = struct.Struct("<36xI8xI")
_OPUS_RATE = 48000


class _Page(NamedTuple):
    """A page: its flags, its position, its stream, where its packets begin, and where they end."""

    flags: int
    position: int
    stream: int
    body: int
    end: int


class _Stream(NamedTuple):
    """A stream of sound: how it is stored, and how many samples before its beginning are not heard."""

    format: AudioFormat
    skip: int = 0


def parse(pieces: Pieces) -> Header:
    """The header of an Ogg file with one stream of sound among others. Raises `FormatError`."""
    place, streams, found = 0, set(), None
    for _ in range(_STREAMS):
        page = _page(pieces, place)
        if not page or not page.flags & _FIRST:
            break
        streams.add(page.stream)
        stream = _stream(pieces.some(page.body, min(page.end - page.body, 128)))
        found = found or ((page.stream, stream) if stream else None)
        place = page.end
    if not found:
        raise UnsupportedError("is an Ogg file without a stream of Vorbis, Opus, FLAC or Speex")
    return _header(pieces, found[1], found[0], streams)


def _page(pieces: Pieces, place: int) -> _Page | None:
    """The page that begins there, whose last bytes may be missing; None if none does."""
    head = pieces.some(place, _PAGE.size)
    if not head.startswith(MAGIC):
        return None
    _, _, flags, position, stream, _, _, count = _PAGE.unpack(head.ljust(_PAGE.size, b"\0"))
    body = place + _PAGE.size + count
    return _Page(flags, position, stream, body, body + sum(pieces.some(place + _PAGE.size, count)))


def _stream(packet: bytes) -> _Stream | None:
    """What the first packet of a stream tells; None if it is no sound."""
    reader = next((read for sign, read in _CODECS.items() if packet.startswith(sign)), None)
    try:
        return reader(packet) if reader else None
    except struct.error:
        raise CutError("ends before its header does") from None


def _vorbis(packet: bytes) -> _Stream:
    _, channels, rate = _VORBIS.unpack_from(packet)
    return _Stream(known("OGG", "VORBIS", rate, channels))


def _opus(packet: bytes) -> _Stream:
    _, channels, skip = _OPUS.unpack_from(packet)
    return _Stream(known("OGG", "OPUS", _OPUS_RATE, channels), skip)


def _flac(packet: bytes) -> _Stream:
    if len(packet) < 17 + STREAMINFO:
        raise CutError("ends before its header does")
    return _Stream(stream_info(packet[17 : 17 + STREAMINFO], "OGG").format)


def _speex(packet: bytes) -> _Stream:
    rate, channels = _SPEEX.unpack_from(packet)
    return _Stream(known("OGG", "SPEEX", rate, channels))


_CODECS: dict[bytes, Callable[[bytes], _Stream]] = {
    b"\x01vorbis": _vorbis,
    b"OpusHead": _opus,
    b"\x7fFLAC": _flac,
    b"Speex   ": _speex,
}


def _header(pieces: Pieces, stream: _Stream, number: int, streams: set[int]) -> Header:
    """The last page of the stream tells how long it is; that of the file, whether it is whole."""
    pages: list[_Page] = []
    for page in _last_pages(pieces):
        pages.append(page)
        if page.stream == number and page.position != _NOWHERE and page.end <= pieces.size:
            return _judged(pieces, stream, pages, streams, max(0, page.position - stream.skip))
    return _judged(pieces, stream, pages, streams, None)


def _judged(pieces: Pieces, stream: _Stream, pages: Sequence[_Page], streams: set[int], frames: int | None) -> Header:
    """The header, by the pages from the last to the one that tells how many frames there are."""
    said = partial(Header, format=stream.format, frames=frames, length=Length.DECLARED)
    if not pages:
        return said(faults=(Fault(kind="truncated", what="ends without a page of Ogg: was it written to its end?"),))
    if pages[0].end > pieces.size:
        what = f"is cut: {pages[0].end - pieces.size} bytes of its last page are missing"
        return said(faults=(Fault(kind="truncated", what=what, expected=pages[0].end, found=pieces.size),))
    if pages[0].stream not in streams:
        what = "is several streams one behind the other (chained): many readers stop after the first"
        return Header(format=stream.format, faults=(Fault(kind="chained", what=what),))
    if not any(page.flags & _LAST for page in pages):
        return said(faults=(_unfinished(frames),))
    return said(faults=() if frames or frames is None else (Fault(kind="empty", what="holds no sound"),))


def _unfinished(frames: int | None) -> Fault:
    if not frames:
        return Fault(kind="truncated", what="ends before its sound begins")
    what = "ends without the mark of its end: it was cut between two pages, or is a piece of what was sent live"
    return Fault(kind="unfinished", what=what)


def _last_pages(pieces: Pieces) -> Iterator[_Page]:
    """The pages that begin near the end, the last first; nearer if there are some."""
    tail, begins = pieces.tail(_TAIL)
    if MAGIC not in tail:
        tail, begins = pieces.tail(2 * _LARGEST)
    at = len(tail)
    while (at := tail.rfind(MAGIC + b"\0", 0, at)) >= 0:
        page = _page(pieces, begins + at)
        if page:
            yield page
