"""GIF: the canvas, which is allocated on opening, and the trailer. Source: GIF89a, sections 18 to 27."""

from __future__ import annotations

import io
import os
from typing import Any

from msgspec.structs import replace

from audit.records.decoded import Decoded
from audit.records.signals import Fault
from audit.signals.images.pillow import plain
from audit.signals.images.reading import Wish, bounded


def gif(file: io.FileIO, size: int, name: str, wish: Wish) -> Decoded:
    """Walk the blocks for the canvas and the trailer, then decode."""
    with open(file.fileno(), "rb", closefd=False) as stream:
        stream.seek(0)
        ended = _gif_walked(stream, wish.most)
    said = plain(file, size, name, wish)
    if ended:
        return said
    fault = Fault(kind="end-marker", what=f"ends after {size:,} bytes without a trailer; later frames may be missing")
    return replace(said, faults=(fault,))


def _gif_walked(stream: Any, most: int) -> bool:
    """Whether the blocks end with a trailer; raises `Stop` for a frame beyond the bounds (GIF89a, 18-27)."""
    head = stream.read(13)
    _skip_colours(stream, head[10:11])
    while (sign := stream.read(1)) in {b",", b"!"}:
        if sign == b",":
            place = stream.read(9)
            left, top, wide, high = (int.from_bytes(place[at : at + 2], "little") for at in (0, 2, 4, 6))
            if left + wide and top + high:
                bounded(left + wide, top + high, most)
            _skip_colours(stream, place[8:9])
        stream.read(1)
        while length := stream.read(1):
            if length == b"\0":
                break
            stream.seek(length[0], os.SEEK_CUR)
    return bool(sign == b";")


def _skip_colours(stream: Any, packed: bytes) -> None:
    if packed and packed[0] & 128:
        stream.seek(3 << (packed[0] & 7) + 1, os.SEEK_CUR)
