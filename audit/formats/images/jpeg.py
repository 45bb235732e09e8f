"""JPEG: size, components and precision from the frame header, EXIF, colour profile and further pictures.

Sources: ITU-T T.81, annex B; Exif 2.32 (APP1); ICC.1:2010, B.4 (APP2); CIPA DC-007, Multi-Picture Format (APP2).
Adobe's marker tells YCCK from CMYK, and YCbCr from RGB, which is the same mode in either case.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.images.exif import orientation
from audit.formats.pieces import Pieces, Read, UnsupportedError
from audit.records.image import PictureHeader

_MARKER = Struct(">BBH")
_FRAME = Struct(">BHHB")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN, _END, _EXIF, _APP2 = 0xDA, 0xD9, 0xE1, 0xE2
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length: TEM, RSTn, SOI."""

_MODES = {1: "L", 3: "RGB", 4: "CMYK"}
_EXIF_SIGN, _ICC_SIGN, _MPF_SIGN = b"Exif\0", b"ICC_PROFILE\0", b"MPF\0"
_ICC_HEAD = len(_ICC_SIGN) + 2
"""Bytes before a piece of a profile: the sign, its number, how many there are."""

_MOST = 4096
"""More segments than any picture has before its scan: a profile of 4 MiB has 65, as XMP of that size has."""


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a JPEG; of several pictures in one file (MPO) the first's. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    frame, turned, icc, frames = b"", 0, 0, 1
    for code, at, length in _segments(pieces):
        if code in _FRAMES:
            frame = pieces.take(at, _FRAME.size)
        elif code == _EXIF and not turned and pieces.some(at, 5) == _EXIF_SIGN:
            turned = orientation(pieces, at + 6, length - 6)
        elif code == _APP2:
            icc += max(0, length - _ICC_HEAD) if pieces.some(at, 12) == _ICC_SIGN else 0
            frames = max(frames, _pictures(pieces, at, length))
        elif code == _SCAN:
            break
    return _header(frame, turned or 1, icc, frames)


def _header(frame: bytes, turned: int, icc: int, frames: int) -> PictureHeader:
    if not frame:
        raise FormatError("does not say how large it is: its pixels begin without a frame header")
    bits, height, width, channels = _FRAME.unpack(frame)
    if not height:
        raise UnsupportedError("says how high it is only behind its pixels (DNL), where nothing is read")
    if channels not in _MODES:
        raise UnsupportedError(f"has {channels} components; 1, 3 and 4 are understood")
    width, height = sized(width, height)
    form = known("JPEG", _MODES[channels], channels, bits)
    return PictureHeader(format=form, width=width, height=height, orientation=turned, icc=icc, frames=frames)


def _segments(pieces: Pieces) -> Iterator[tuple[int, int, int]]:
    """The code of each marker, where its content begins and how long that is (T.81, B.1.1)."""
    at = 2
    for _ in range(_MOST):
        sign, code, length = _MARKER.unpack(pieces.take(at, _MARKER.size))
        if sign != 0xFF:  # noqa: PLR2004 - what every marker begins with
            raise FormatError(f"has no marker at byte {at:,}, where one belongs")
        if code == 0xFF:  # noqa: PLR2004 - a fill byte
            at += 1
        elif code in _ALONE:
            at += 2
        elif code == _END or length < 2:  # noqa: PLR2004 - the length counts itself
            raise FormatError(f"ends its header at byte {at:,}, before its picture begins")
        else:
            yield code, at + 4, length - 2
            at += length + 2
    raise UnsupportedError(f"has more than {_MOST:,} segments before its picture, which are not looked at")


def _pictures(pieces: Pieces, at: int, length: int) -> int:
    """How many pictures the index of the Multi-Picture Format counts (DC-007, 5.2.3); 1 where this is none."""
    if length < 26 or pieces.some(at, 4) != _MPF_SIGN:  # noqa: PLR2004 - sign, header, count and one entry
        return 1
    order = "<" if pieces.some(at + 4, 2) == b"II" else ">"
    (place,) = Struct(f"{order}I").unpack(pieces.take(at + 8, 4))
    if place + 2 > length - 4:
        return 1
    (count,) = Struct(f"{order}H").unpack(pieces.take(at + 4 + place, 2))
    entries = pieces.some(at + 6 + place, min(count, (length - place - 6) // 12) * 12)
    for tag, _, _, value in Struct(f"{order}HHII").iter_unpack(entries[: len(entries) // 12 * 12]):
        if tag == 0xB001:  # noqa: PLR2004 - NumberOfImages
            return max(1, int(value))
    return 1
