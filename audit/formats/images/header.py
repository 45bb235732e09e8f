"""What kind of picture some bytes begin, and what its header says."""

from __future__ import annotations

from collections.abc import Callable

from audit.errors import FormatError
from audit.formats.images import jpeg, png
from audit.formats.images.pieces import CutError, Read, UnsupportedError
from audit.formats.lfs import POINTER_LIMIT, read_pointer
from audit.records.image import PictureHeader
from audit.records.signals import Fault

Parse = Callable[[bytes, int, Read], PictureHeader]

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
    if head.startswith(b"\xff\xd8\xff"):
        return jpeg.parse
    if head.startswith(png.SIGN):
        return png.parse
    return None


def _unrecognised(head: bytes, size: int) -> Fault:
    if not size:
        return Fault(kind="empty", what="is empty: 0 bytes")
    if size < POINTER_LIMIT and read_pointer(head) is not None:
        return Fault(kind="pointer", what="is a Git LFS pointer, not content")
    if not head.strip(b"\0"):
        return Fault(kind="empty", what=f"begins with {len(head):,} zero bytes: was it ever written?")
    begins = head[:8].hex(" ")
    return Fault(kind="unknown", what=f"is no picture of a format that is read (it begins with {begins})")
