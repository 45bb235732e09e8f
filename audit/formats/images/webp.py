"""WebP: size, alpha, and of the extended form the profile, the frames and EXIF. Sources: RFC 9649; RFC 6386, 9.1."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.images.exif import orientation
from audit.formats.pieces import Pieces, Read, UnsupportedError
from audit.records.image import PictureFormat, PictureHeader

_CHUNK = Struct("<4sI")
_FIRST = 12
"""Where the first chunk begins, behind RIFF's own header."""

_ICC, _ALPHA, _EXIF, _ANIMATION = 0x20, 0x10, 0x08, 0x02
_MOST = 20_000
"""So many chunks are walked along for frames and EXIF."""


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a WebP. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    name, _ = _CHUNK.unpack(pieces.take(_FIRST, _CHUNK.size))
    at = _FIRST + _CHUNK.size
    if name == b"VP8 ":
        return _lossy(pieces.take(at, 10))
    if name == b"VP8L":
        return _lossless(pieces.take(at, 5))
    if name == b"VP8X":
        return _extended(pieces, pieces.take(at, 10))
    raise FormatError("does not begin with a chunk of WebP (VP8, VP8L or VP8X)")


def _lossy(data: bytes) -> PictureHeader:
    if data[0] & 1 or data[3:6] != b"\x9d\x01\x2a":
        raise FormatError("does not begin with a key frame of VP8")
    width, height = sized(_number(data[6:8]) & 0x3FFF, _number(data[8:10]) & 0x3FFF)
    return PictureHeader(format=_format(alpha=False), width=width, height=height)


def _lossless(data: bytes) -> PictureHeader:
    bits = _number(data[1:5])
    if data[0] != 0x2F or bits >> 29:  # noqa: PLR2004 - the signature, and the one version there is
        raise FormatError("does not begin with the signature of VP8L")
    width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return PictureHeader(format=_format(alpha=bool(bits >> 28 & 1)), width=width, height=height)


def _extended(pieces: Pieces, data: bytes) -> PictureHeader:
    flags, turned, icc, frames = data[0], 1, 0, 0
    wanted = flags & (_ICC | _EXIF | _ANIMATION)
    for name, at, length in _chunks(pieces) if wanted else ():
        if name == b"ICCP":
            icc = length
        elif name == b"ANMF":
            frames += 1
        elif name == b"EXIF":
            signed = pieces.some(at, 6) == b"Exif\0\0"  # some programs write JPEG's sign before it
            turned = orientation(pieces, at + 6 * signed, length - 6 * signed)
        if wanted == _ICC and icc:
            break
    width, height = _number(data[4:7]) + 1, _number(data[7:10]) + 1
    form, frames = _format(alpha=bool(flags & _ALPHA)), max(1, frames)
    return PictureHeader(format=form, width=width, height=height, orientation=turned, icc=icc, frames=frames)


def _chunks(pieces: Pieces) -> Iterator[tuple[bytes, int, int]]:
    """Name, place and length of the content of each chunk behind the first, as far as the file goes."""
    at = _FIRST + _CHUNK.size + 10
    for _ in range(_MOST):
        piece = pieces.some(at, _CHUNK.size)
        if len(piece) < _CHUNK.size:
            return
        name, length = _CHUNK.unpack(piece)
        yield name, at + _CHUNK.size, length
        at += _CHUNK.size + length + length % 2
    raise UnsupportedError(f"has more than {_MOST:,} chunks, so its frames are not counted")


def _format(*, alpha: bool) -> PictureFormat:
    return known("WEBP", "RGBA", 4, 8) if alpha else known("WEBP", "RGB", 3, 8)


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")
