"""What kind of picture some bytes begin, and what its header says."""

from __future__ import annotations

import re
from collections.abc import Callable

from audit.errors import FormatError
from audit.formats.images import bmp, gif, heif, jpeg, jpeg2000, netpbm, png, qoi, tiff, webp
from audit.formats.lfs import POINTER_LIMIT, read_pointer
from audit.formats.pieces import CutError, Read, UnsupportedError
from audit.records.image import PictureHeader
from audit.records.signals import Fault

Parse = Callable[[bytes, int, Read], PictureHeader]

_PARSERS: tuple[tuple[bytes | tuple[bytes, ...], Parse], ...] = (
    (b"\xff\xd8\xff", jpeg.parse),
    (png.SIGN, png.parse),
    ((b"GIF87a", b"GIF89a"), gif.parse),
    (tiff.SIGNS, tiff.parse),
    (b"BM", bmp.parse),
    (b"qoif", qoi.parse),
    ((b"\0\0\0\x0cjP  \r\n\x87\n", jpeg2000.STREAM), jpeg2000.parse),
)
_NETPBM = re.compile(rb"P[1-6f][ \t\n\v\f\r#]")

_OTHERS = re.compile(
    rb"\xff\x0a|\0\0\0\x0cJXL |%!PS|8BPS|\0\0[\x01\x02]\0|v/1\x01|#\?RADIANCE|<svg|DDS |P7\n|PF\n|....ftyp", re.DOTALL
)
"""JPEG XL, PostScript, Photoshop, icons, OpenEXR, Radiance, SVG, DirectDraw, PAM, colour PFM, other boxes."""

_KINDS = {CutError: "truncated", UnsupportedError: "unsupported"}
"""What else than `header` an error makes of a file."""


def header(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a file of `size` bytes that begins with `head`, by what it holds, whatever its name says.

    `head` is at least `POINTER_LIMIT` bytes, or the whole file. What is wrong with the file is a fault.
    """
    parse = _recognised(head)
    if parse is None:
        return PictureHeader(faults=(_unrecognised(head, size),))
    try:
        return parse(head, size, read)
    except FormatError as error:
        return PictureHeader(faults=(Fault(kind=_KINDS.get(type(error), "header"), what=error.what),))


def _recognised(head: bytes) -> Parse | None:
    for signs, parse in _PARSERS:
        if head.startswith(signs):
            return parse
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return webp.parse
    if _NETPBM.match(head):
        return netpbm.parse
    return heif.parse if heif.brands(head) & heif.BRANDS else None


def _unrecognised(head: bytes, size: int) -> Fault:
    if not size:
        return Fault(kind="empty", what="is empty: 0 bytes")
    if size < POINTER_LIMIT and read_pointer(head) is not None:
        return Fault(kind="pointer", what="is a Git LFS pointer, not content")
    if not head.strip(b"\0"):
        return Fault(kind="empty", what=f"begins with {len(head):,} zero bytes: was it ever written?")
    begins = head[:8].hex(" ")
    if _OTHERS.match(head):
        return Fault(kind="unsupported", what=f"is of a format that is not read here (it begins with {begins})")
    return Fault(kind="unknown", what=f"is no picture of a format that is read (it begins with {begins})")
