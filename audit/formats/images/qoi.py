"""QOI. Source: The Quite OK Image Format Specification, version 1.0."""

from __future__ import annotations

from struct import Struct

from audit.errors import FormatError
from audit.formats.images.common import known, sized
from audit.formats.pieces import Pieces, Read
from audit.records.image import PictureHeader

_HEADER = Struct(">4xIIB")
_MODES = {3: "RGB", 4: "RGBA"}


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a QOI file. Raises `FormatError`."""
    width, height, channels = _HEADER.unpack(Pieces(head, size, read).take(0, _HEADER.size))
    if channels not in _MODES:
        raise FormatError(f"declares {channels} channels; QOI has 3 or 4")
    width, height = sized(width, height)
    return PictureHeader(format=known("QOI", _MODES[channels], channels, 8), width=width, height=height)
