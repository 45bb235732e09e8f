"""WebP: its size, and the canvas, which is allocated on opening. Source: RFC 9649."""

from __future__ import annotations

import io

from audit.records.decoded import Decoded
from audit.signals.images.pillow import plain
from audit.signals.images.reading import Stop, Wish, bounded, reader


def webp(file: io.FileIO, size: int, name: str, wish: Wish) -> Decoded:
    """Hold the size that RIFF declares, and the canvas, which is allocated on opening, against their bounds."""
    head = reader(file)(0, 30)
    declared = int.from_bytes(head[4:8], "little") + 8
    if declared > size:
        raise Stop("truncated", f"ends after {size:,} of {declared:,} bytes", declared, size)
    if len(head) == 30:  # noqa: PLR2004 - what the three kinds of first chunk need
        bounded(*_webp_canvas(head), wish.most)
    return plain(file, size, name, wish)


def _webp_canvas(head: bytes) -> tuple[int, int]:
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
