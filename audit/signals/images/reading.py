"""A picture's bytes in pieces, and what ends the look at them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from audit.records.image_content import Measures
from audit.records.signals import Fault

if TYPE_CHECKING:
    from PIL.Image import Image

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

MOST_PIXELS = 178_956_970
"""Pillow's own limit: a quarter of a GiB at three bytes a pixel."""

BLOCK = 1 << 18


class Wish(NamedTuple):
    """To decode a picture of up to so many pixels, and to measure its first frame, if with anything."""

    most: int = MOST_PIXELS
    measure: Callable[[Image], Measures] | None = None


class Stop(Exception):  # noqa: N818 - what stops the look is an answer
    """The one fault that ends the look at a file."""

    def __init__(self, kind: str, what: str, expected: int | None = None, found: int | None = None) -> None:
        super().__init__(what)
        self.fault = Fault(kind=kind, what=what, expected=expected, found=found)


def bounded(width: int, height: int, most: int) -> None:
    """Refuse a picture of no pixels, or of more than `most`."""
    if width * height > most:
        what = f"declares {width} x {height} = {width * height:,} pixels, more than {most:,} (max_pixels)"
        raise Stop("bomb", what, most, width * height)
    if not width * height:
        raise Stop("corrupt", f"declares {width} x {height} pixels")


def reader(file: io.FileIO) -> Read:
    """Reads from any place of an open file, and moves nothing."""
    return lambda offset, size: os.pread(file.fileno(), size, offset)


def blocks(read: Read, offset: int, end: int) -> Iterator[bytes]:
    """The bytes from `offset` to `end` in pieces of `BLOCK`; fewer where the file ends before."""
    while offset < end and (block := read(offset, min(BLOCK, end - offset))):
        yield block
        offset += len(block)
