"""Headers of AAC in ADTS: there is none but that of each frame, so every frame is counted.

Source: ISO/IEC 14496-3, 1.A.2.2 (the header of a frame) and 1.6.3.4 (rates). Spectral band replication, which is told
in the sound alone, doubles the rate in most decoders; the rate here is what the header says.
"""

from __future__ import annotations

from audit.formats.audio import tags
from audit.formats.audio.aac import RATES, channels
from audit.formats.audio.common import known
from audit.formats.audio.frames import HEAD, Frame, first, walk
from audit.formats.pieces import Pieces
from audit.records.audio import Header


def begins(head: bytes) -> bool:
    """Whether a frame may begin so: 12 bits set, and layer 0, which MPEG audio has not."""
    return len(head) >= HEAD and head[0] == 0xFF and head[1] & 0xF6 == 0xF0  # noqa: PLR2004 - these bits


def parse(pieces: Pieces) -> Header | None:
    """The header of an ADTS file; None if it is none. Raises `FormatError`."""
    end = tags.end(pieces)
    at = first(pieces, end, _step)
    if at is None:
        return None
    head = pieces.take(at, HEAD)
    form = known("ADTS", "AAC", RATES[head[2] >> 2 & 15], channels((head[2] & 1) << 2 | head[3] >> 6))
    run = walk(pieces, at, end, _step)
    return Header(format=form, frames=run.samples, length=run.length, faults=run.faults)


def _step(head: bytes) -> Frame | None:
    if not begins(head):
        return None
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    if head[2] >> 2 & 15 >= len(RATES) or size < HEAD:
        return None
    return Frame(size, 1024 * ((head[6] & 3) + 1), (head[1], head[2] & 0xFD, head[3] & 0xC0))
