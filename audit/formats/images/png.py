"""PNG and APNG: the header, and of further chunks the colour profile, the frames and EXIF.

Source: Portable Network Graphics (third edition), sections 5 and 11; some programs write eXIf behind the pixels.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.images.exif import orientation
from audit.formats.pieces import Pieces, Read
from audit.records.image import PictureHeader

SIGN = b"\x89PNG\r\n\x1a\n"

_HEADER = Struct(">8xI4s13sI")
_SIZES = Struct(">IIBB")
_CHUNK = Struct(">I4s")
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_COLOURS = {0: ("L", 1), 2: ("RGB", 3), 3: ("P", 1), 4: ("LA", 2), 6: ("RGBA", 4)}
"""Mode and channels by colour type."""

_GREYS = {1: "1", 16: "I;16"}
"""What grey is called where it has not 2, 4 or 8 bits."""

_MOST = 10_000
"""More chunks than any picture has before its pixels, or behind the last of them."""

_TRIES = 8
"""How often the last chunk of pixels is looked for where it should be, or before."""


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a PNG. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    length, name, header, crc = _HEADER.unpack(pieces.take(0, _HEADER.size))
    if name != b"IHDR" or length != len(header):
        raise FormatError("does not begin with a header of PNG (IHDR)")
    if zlib.crc32(header, zlib.crc32(name)) != crc:
        raise FormatError("has a damaged header: its CRC does not agree")
    width, height, bits, colour = _SIZES.unpack_from(header)
    if bits not in _DEPTHS.get(colour, ()):
        raise FormatError(f"declares colour type {colour} with {bits} bits, which PNG does not have")
    mode, channels = _COLOURS[colour]
    form = known("PNG", _GREYS.get(bits, mode) if mode == "L" else mode, channels, bits)
    width, height = sized(width, height)
    turned, icc, frames = _further(pieces)
    return PictureHeader(format=form, width=width, height=height, orientation=turned, icc=icc, frames=frames)


def _further(pieces: Pieces) -> tuple[int, int, int]:
    """Orientation, bytes of the colour profile, frames."""
    turned, icc, frames = 0, 0, 1
    for name, at, length in _chunks(pieces, _HEADER.size):
        if name == b"eXIf":
            turned = orientation(pieces, at, length)
        elif name == b"iCCP":
            icc = _profile(pieces.some(at, min(length, 1024))) or length
        elif name == b"acTL" and length >= 4:  # noqa: PLR2004 - the number of frames
            frames = max(1, int.from_bytes(pieces.some(at, 4), "big"))
        elif name == b"IDAT":
            turned = turned or _late(pieces, at - 8, length + 12)
            break
        elif name == b"IEND":
            raise FormatError("ends before its picture begins")
    else:
        raise FormatError("ends before its picture begins, or has more chunks than any picture has")
    return turned or 1, icc, frames


def _chunks(pieces: Pieces, at: int) -> Iterator[tuple[bytes, int, int]]:
    """The name of each chunk from `at` on, where its content begins, and how long that is."""
    for _ in range(_MOST):
        length, name = _CHUNK.unpack(pieces.take(at, _CHUNK.size))
        if length >> 31:
            raise FormatError(f"has a chunk at byte {at:,} that claims {length:,} bytes")
        yield name, at + 8, length
        at += length + 12


def _profile(chunk: bytes) -> int:
    """How many bytes a profile says it has, in its first four bytes (ICC.1:2010, 7.2.2); 0 where that is damaged."""
    try:
        begins = zlib.decompressobj().decompress(chunk.partition(b"\0")[2][1:], 4)
    except zlib.error:
        return 0
    return int.from_bytes(begins, "big") if len(begins) == 4 else 0  # noqa: PLR2004 - a whole number


def _late(pieces: Pieces, at: int, step: int) -> int:
    """The orientation of EXIF behind the pixels, which begin at `at` with a chunk of `step` bytes; 0 if there is none.

    All chunks of pixels but the last are as long as the first where an encoder has a buffer: so the last is
    found without a walk along all of them.
    """
    for back in range(_TRIES):
        last = at + ((pieces.size - at) // step - back) * step
        if last <= at or pieces.some(last + 4, 4) == b"IDAT":
            at = max(at, last)
            break
    with suppress(FormatError):  # what is cut or damaged behind the first pixels is not the header's
        for name, place, length in _chunks(pieces, at):
            if name == b"eXIf":
                return orientation(pieces, place, length)
            if name == b"IEND":
                break
    return 0
