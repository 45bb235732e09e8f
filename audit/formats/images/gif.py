"""GIF: size and palette of the first frame, and how many frames there are. Source: GIF89a, sections 17 to 27."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from audit.formats.images.common import known, sized
from audit.formats.pieces import CutError, Pieces, Read, UnsupportedError
from audit.records.image import PictureHeader

_SCREEN = Struct("<6xHHBxx")
_PLACE = Struct("<xHHHHB")
_MOST = 1 << 18
"""So many blocks of up to 255 bytes are walked along to count frames; a GIF of 64 MB has as many."""


class _Frame(NamedTuple):
    """A frame's place on the canvas; `palette` is its own, if it has one."""

    left: int
    top: int
    width: int
    height: int
    palette: bytes | None


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a GIF. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    wide, high, packed = _SCREEN.unpack(pieces.take(0, _SCREEN.size))
    palette = _palette(pieces, _SCREEN.size, packed)
    first: _Frame | None = None
    frames = 0
    for frame in _frames(pieces, _SCREEN.size + len(palette)):
        first, frames = first or frame, frames + 1
    if first is None:
        raise CutError(f"ends after {size:,} bytes, before its first frame")
    width, height = sized(max(wide, first.left + first.width), max(high, first.top + first.height))
    colours = palette if first.palette is None else first.palette
    bits = (len(colours) // 3 or 256).bit_length() - 1
    form = known("GIF", "L" if _is_grey(colours) else "P", 1, bits)
    return PictureHeader(format=form, width=width, height=height, frames=frames)


def _palette(pieces: Pieces, at: int, packed: int) -> bytes:
    return pieces.take(at, 3 << (packed & 7) + 1) if packed & 128 else b""


def _is_grey(palette: bytes) -> bool:
    """Whether each index is its own brightness, as where there is no palette."""
    return palette == bytes(index for index in range(len(palette) // 3) for _ in range(3))


def _frames(pieces: Pieces, at: int) -> Iterator[_Frame]:
    """Each frame before the trailer, or the end of the file."""
    walked = 0
    while (sign := pieces.some(at, 1)) in {b",", b"!"}:
        if sign == b",":
            left, top, width, height, packed = _PLACE.unpack(pieces.take(at, _PLACE.size))
            own = _palette(pieces, at + _PLACE.size, packed)
            yield _Frame(left, top, width, height, own if packed & 128 else None)
            at += _PLACE.size + len(own) + 1
        else:
            at += 2
        while length := pieces.some(at, 1):
            at += length[0] + 1
            walked += 1
            if walked > _MOST:
                raise UnsupportedError(f"has more than {_MOST:,} blocks, so its frames are not counted")
            if length == b"\0":
                break
