"""Pictures decoded whole, and held against what their decoders pass over in silence."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from audit.formats.lfs import POINTER_LIMIT, pointer_size
from audit.records.decoded import Decoded
from audit.records.image_content import Measures
from audit.signals.images.gif import gif
from audit.signals.images.jpeg import jpeg
from audit.signals.images.pillow import plain
from audit.signals.images.png import png
from audit.signals.images.reading import MOST_PIXELS, Stop, Wish, blocks, reader
from audit.signals.images.tiff import tiff
from audit.signals.images.webp import webp

if TYPE_CHECKING:
    from PIL.Image import Image

_BEGINNINGS = (
    (rb"\xff\xd8\xff", "JPEG"),
    (rb"\x89PNG\r\n\x1a\n", "PNG"),
    (rb"GIF8[79]a", "GIF"),
    (rb"RIFF....WEBP", "WEBP"),
    (rb"II[*+]\0|MM\0[*+]", "TIFF"),
    (rb"BM.{12}[\x0c-\x7c]\0\0\0", "BMP"),
    (rb"P[1-6fF]\s", "PPM"),
    (rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51", "JPEG2000"),
    (rb"....ftypavi[fs]", "AVIF"),
    (rb"qoif", "QOI"),
)

_SIGNS = tuple((re.compile(sign, re.DOTALL), name) for sign, name in _BEGINNINGS)

_OTHERS = re.compile(
    rb"....ftyp|\xff\x0a|\0\0\0\x0cJXL |%!PS|8BPS|\0\0[\x01\x02]\0|v/1\x01|#\?RADIANCE|<svg|DDS ", re.DOTALL
)
"""HEIF, JPEG XL, PostScript (whose decoder would run it), Photoshop, icons, OpenEXR, Radiance, SVG, DirectDraw."""


def decode(file: io.FileIO, most: int = MOST_PIXELS, measure: Callable[[Image], Measures] | None = None) -> Decoded:
    """Decode all of an open file, of pictures of at most `most` pixels; a faulty file has its fault in the answer.

    What `measure` says of the first frame goes into it as well.

    Raises `FormatError` for more than `MOST_FRAMES` frames, `OSError` where the file cannot be read, `MemoryError`.
    """
    name = ""
    try:
        size = os.fstat(file.fileno()).st_size
        name = _recognised(file, size)
        return _LOOKS.get(name, plain)(file, size, name, Wish(most, measure))
    except Stop as stop:
        return Decoded(format=name, faults=(stop.fault,))


def _recognised(file: io.FileIO, size: int) -> str:
    head = reader(file)(0, POINTER_LIMIT)
    if size < POINTER_LIMIT and pointer_size(head)[0]:
        raise Stop("pointer", "is a Git LFS pointer, not content")
    if not head.strip(b"\0") and not any(block.strip(b"\0") for block in blocks(reader(file), 0, size)):
        raise Stop("empty", f"is {size:,} bytes, all of them zero" if size else "is empty: 0 bytes", None, size)
    for sign, name in _SIGNS:
        if sign.match(head):
            return name
    begins = head[:8].hex(" ")
    if _OTHERS.match(head):
        raise Stop("unsupported", f"is of a format that is not decoded here (it begins with {begins})")
    raise Stop("unknown", f"is no picture (it begins with {begins})")


_LOOKS: dict[str, Callable[[io.FileIO, int, str, Wish], Decoded]] = {
    "JPEG": jpeg,
    "PNG": png,
    "GIF": gif,
    "WEBP": webp,
    "TIFF": tiff,
}
