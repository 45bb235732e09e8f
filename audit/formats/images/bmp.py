"""BMP: size, bits and palette. Source: Windows bitmap headers of versions 2 to 5 (BITMAPCOREHEADER to BITMAPV5HEADER).

A palette in which each index is its own brightness is grey and not a palette, as Pillow has it.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.pieces import Pieces, Read, UnsupportedError
from audit.records.image import PictureHeader

_CORE = Struct("<HHHH")
_INFO = Struct("<iiHHI")
_MASKS = Struct("<IIII")
_CORE_SIZE = 12
_SIZES = frozenset({12, 40, 52, 56, 64, 108, 124})
_ALPHA_FROM = 56
"""Headers of that many bytes have a mask for alpha."""

_RAW, _RLE8, _RLE4, _BITFIELDS = range(4)
_COLOURS = {16: 5, 24: 8, 32: 8}
"""Bits of a channel, by bits of a pixel."""

_INDEXED = frozenset({1, 4, 8})
_START = 14
"""Where the second header begins, behind the file's."""


class _Info(NamedTuple):
    width: int
    height: int
    bits: int
    packing: int


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a BMP. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    length = int.from_bytes(pieces.take(_START, 4), "little")
    if length not in _SIZES:
        raise UnsupportedError(f"has a header of {length:,} bytes, which is none of BMP that is understood")
    info = _info(pieces, length)
    width, height = sized(info.width, abs(info.height))
    if info.packing > _BITFIELDS:
        raise UnsupportedError(f"is compressed by method {info.packing} of BMP, which is not understood")
    mode, channels, bits = _coding(pieces, length, info)
    return PictureHeader(format=known("BMP", mode, channels, bits), width=width, height=height)


def _info(pieces: Pieces, length: int) -> _Info:
    if length == _CORE_SIZE:
        width, height, _, bits = _CORE.unpack(pieces.take(_START + 4, _CORE.size))
        return _Info(width, height, bits, _RAW)
    width, height, _, bits, packing = _INFO.unpack(pieces.take(_START + 4, _INFO.size))
    return _Info(width, height, bits, packing)


def _coding(pieces: Pieces, length: int, info: _Info) -> tuple[str, int, int]:
    """Mode, channels, bits of one."""
    if info.bits in _INDEXED:
        return _indexed(pieces, length, info.bits), 1, info.bits
    if info.bits not in _COLOURS:
        raise FormatError(f"declares {info.bits} bits a pixel, which BMP does not have")
    if info.bits == 32 and info.packing == _BITFIELDS and _has_alpha(pieces, length):  # noqa: PLR2004 - bits
        return "RGBA", 4, 8
    return "RGB", 3, _COLOURS[info.bits]


def _has_alpha(pieces: Pieces, length: int) -> bool:
    """Whether the masks leave bits to alpha; none at all is the usual order, with it."""
    if length < _ALPHA_FROM:
        return False
    masks = _MASKS.unpack(pieces.take(_START + 40, _MASKS.size))
    return bool(masks[3]) or not any(masks)


def _indexed(pieces: Pieces, length: int, bits: int) -> str:
    wide = 3 if length == _CORE_SIZE else 4
    said = 0 if length == _CORE_SIZE else int.from_bytes(pieces.take(_START + 32, 4), "little")
    count = said or 1 << bits
    if count > 1 << bits:
        return "P"
    palette = pieces.take(_START + length, wide * count)
    greys = (0, 255) if count == 2 else range(count)  # noqa: PLR2004 - black and white
    if all(palette[at * wide : at * wide + 3] == bytes((grey,)) * 3 for at, grey in enumerate(greys)):
        return "1" if count <= 2 else "L"  # noqa: PLR2004
    return "P"
