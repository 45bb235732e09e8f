"""The header of a frame of MPEG audio, layers I to III.

Sources: ISO/IEC 11172-3, 2.4.1.3 and 2.4.2.3 (MPEG-1); ISO/IEC 13818-3, 2.4.2.3 (MPEG-2: half the rates); MPEG-2.5
is Fraunhofer's extension to a quarter of the rates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

_KBPS = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second by version (2 stands for 2.5 as well) and layer; the first of each is free."""

_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
"""By the two bits of the version."""

_WORD = 4


class Mpeg(NamedTuple):
    """What a header says: the version (2 for 2.5 too); the bytes of the frame, 0 where they are free."""

    version: int
    layer: int
    rate: int
    channels: int
    size: int
    samples: int


@lru_cache(1024)
def mpeg(word: bytes) -> Mpeg | None:
    """The frame that begins with these 4 bytes; None if none does."""
    if len(word) < _WORD or word[0] != 0xFF or word[1] & 0xE0 != 0xE0:  # noqa: PLR2004 - 11 bits, all set
        return None
    bits, layer, kbps, rate = word[1] >> 3 & 3, 4 - (word[1] >> 1 & 3), word[2] >> 4, word[2] >> 2 & 3
    if bits == 1 or layer == 4 or kbps == 15 or rate == 3 or word[3] & 3 == 2:  # noqa: PLR2004 - reserved
        return None
    version, hertz = 1 if bits == 3 else 2, _RATES[bits][rate]  # noqa: PLR2004 - both bits: MPEG-1
    samples = 384 if layer == 1 else 576 if (version, layer) == (2, 3) else 1152
    slot, padding = 4 if layer == 1 else 1, word[2] >> 1 & 1
    size = (samples // 8 // slot * _KBPS[version, layer][kbps] * 1000 // hertz + padding) * slot if kbps else 0
    return Mpeg(version, layer, hertz, 1 if word[3] >> 6 == 3 else 2, size, samples)  # noqa: PLR2004 - both bits: mono
