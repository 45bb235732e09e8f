"""Levels as a picture: a PNG of our own, small, and the same bytes for the same levels and the same zlib.

Source: Portable Network Graphics (third edition), sections 5.2, 10 and 11.2. The palette runs evenly from dark to
bright, so it reads in grey, by the colour-blind and on any ground (after `magma`, N. Smith and S. van der Walt, CC0).
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS = 32

_MAGMA = (
    (0, 0, 4),
    (28, 16, 68),
    (79, 18, 123),
    (129, 37, 129),
    (181, 54, 122),
    (229, 80, 100),
    (251, 135, 97),
    (254, 194, 135),
    (252, 253, 191),
)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE_8_BIT = (8, 3, 0, 0, 0)
"""Bit depth 8, colour type 3 (palette), and the only methods there are; not interlaced."""


def png(levels: NDArray[np.uint8]) -> bytes:
    """The rows of `levels` (height, width), each below `LEVELS`, from top to bottom."""
    height, width = levels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in levels)
    header = struct.pack(">2I5B", width, height, *_PALETTE_8_BIT)
    palette = b"".join(bytes(_colour(level / (LEVELS - 1))) for level in range(LEVELS))
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _colour(place: float) -> tuple[int, ...]:
    """The palette at a place from 0 to 1, between its two nearest colours."""
    at = place * (len(_MAGMA) - 1)
    low = min(int(at), len(_MAGMA) - 2)
    return tuple(round(a + (b - a) * (at - low)) for a, b in zip(_MAGMA[low], _MAGMA[low + 1], strict=True))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
