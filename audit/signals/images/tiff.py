"""TIFF: where its directory should be. Source: TIFF 6.0, section 2; BigTIFF."""

from __future__ import annotations

import io
from typing import Any

from audit.records.decoded import Decoded
from audit.signals.images.pillow import plain
from audit.signals.images.reading import Read, Stop, Wish, reader


def tiff(file: io.FileIO, size: int, name: str, wish: Wish) -> Decoded:
    """Look where the directory should be, then decode every page."""
    _directory(reader(file), size)
    return plain(file, size, name, wish)


def _directory(read: Read, size: int) -> None:
    head = read(0, 16)
    order: Any = "little" if head[:2] == b"II" else "big"
    at = int.from_bytes(head[8:16] if 43 in head[2:4] else head[4:8], order)  # noqa: PLR2004 - BigTIFF's version
    if at >= size:
        raise Stop("truncated", f"ends after {size:,} bytes; its directory is at byte {at:,}", at, size)
