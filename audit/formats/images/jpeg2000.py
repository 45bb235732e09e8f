"""JPEG 2000: JP2 files and bare codestreams. Source: ISO/IEC 15444-1, annexes A.5.1 (SIZ) and I.5.3 (jp2h)."""

from __future__ import annotations

from struct import Struct

from audit.errors import FormatError
from audit.formats.images.boxes import boxes
from audit.formats.images.common import known, sized
from audit.formats.pieces import Pieces, Read, UnsupportedError
from audit.records.image import PictureFormat, PictureHeader

STREAM = b"\xff\x4f\xff\x51"

_SIZ = Struct(">IIIIIIIIHB")
_IHDR = Struct(">IIHB")
_VARIES = 255
"""What stands for the bits where they are not the same in all components."""

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_CMYK = 12
"""CMYK among the enumerated colour spaces (ISO/IEC 15444-2, table M.25)."""


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a JPEG 2000 picture. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    if head.startswith(STREAM):
        across, down, left, top, *_, channels, bits = _SIZ.unpack(pieces.take(8, _SIZ.size))
        width, height = sized(across - left, down - top)
        return PictureHeader(format=_format(channels, (bits & 0x7F) + 1), width=width, height=height)
    for box in boxes(pieces, 0, size):
        if box.name == b"jp2h":
            return _jp2(pieces, box.start, box.end)
    raise FormatError("has no header box (jp2h)")


def _jp2(pieces: Pieces, at: int, end: int) -> PictureHeader:
    width = height = channels = bits = icc = 0
    cmyk = palette = False
    for box in boxes(pieces, at, end):
        if box.name == b"ihdr":
            height, width, channels, bits = _IHDR.unpack(pieces.take(box.start, _IHDR.size))
        elif box.name == b"bpcc" and bits == _VARIES:
            bits = max(pieces.take(box.start, min(channels, box.end - box.start)), default=0)
        elif box.name == b"colr":
            method = pieces.take(box.start, 1)[0]
            cmyk |= method == 1 and int.from_bytes(pieces.some(box.start + 3, 4), "big") == _CMYK
            icc = max(0, box.end - box.start - 3) if method == 2 else icc  # noqa: PLR2004 - a restricted ICC profile
        elif box.name == b"pclr":
            palette = True
    width, height = sized(width, height)
    form = _format(channels, (bits & 0x7F) + 1, cmyk=cmyk, palette=palette)
    return PictureHeader(format=form, width=width, height=height, icc=icc)


def _format(channels: int, bits: int, *, cmyk: bool = False, palette: bool = False) -> PictureFormat:
    mode = _MODES.get(channels)
    if mode is None:
        raise UnsupportedError(f"has {channels} components; 1 to 4 are understood")
    if palette and channels <= 2:  # noqa: PLR2004 - an index, and alpha
        mode = "P" if channels == 1 else "PA"
    elif cmyk and mode == "RGBA":
        mode = "CMYK"
    elif mode == "L" and bits > 8:  # noqa: PLR2004 - a byte
        mode = "I;16"
    return known("JPEG2000", mode, channels, bits)
