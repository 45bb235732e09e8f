"""PBM, PGM, PPM and grey PFM. Source: the manual pages pbm(5), pgm(5), ppm(5) and pfm(5) of Netpbm."""

from __future__ import annotations

import re

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.pieces import CutError, Read
from audit.records.image import PictureHeader

_MODES = {b"P1": "1", b"P2": "L", b"P3": "RGB", b"P4": "1", b"P5": "L", b"P6": "RGB", b"Pf": "F"}
_BLANKS = rb"(?:[ \t\n\v\f\r]|#[^\r\n]*[\r\n])"
_NUMBERS = re.compile(rb"P." + _BLANKS + rb"+(\d{1,10})" + _BLANKS + rb"+(\d{1,10})(?:" + _BLANKS + rb"+(\d{1,10})\b)?")
_MOST_VALUE = 65_535
_BYTE = 255


def parse(head: bytes, size: int, _read: Read) -> PictureHeader:
    """The header of a Netpbm file, which ends within `head`. Raises `FormatError`."""
    mode = _MODES[head[:2]]
    found = _NUMBERS.match(head)
    if found is None or (found[3] is None and mode not in {"1", "F"}):
        if size <= len(head):
            raise CutError(f"ends after {size:,} bytes, or has no numbers where its size belongs")
        raise FormatError("has no numbers where its size belongs")
    width, height = sized(int(found[1]), int(found[2]))
    if mode in {"1", "F"}:
        return PictureHeader(format=known("PPM", mode, 1, 1 if mode == "1" else 32), width=width, height=height)
    most = int(found[3])
    if not 0 < most <= _MOST_VALUE:
        raise FormatError(f"declares {most:,} as its largest value; it is between 1 and {_MOST_VALUE:,}")
    mode = "I" if mode == "L" and most > _BYTE else mode
    form = known("PPM", mode, 3 if mode == "RGB" else 1, most.bit_length())
    return PictureHeader(format=form, width=width, height=height)
