"""Headers of FLAC files: STREAMINFO, and the last frame, which tells whether all of the sound is there.

Source: RFC 9639, sections 8.2 (STREAMINFO) and 9.1 (the header of a frame). Subtypes are spelled as libsndfile does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.audio.common import known
from audit.formats.pieces import Pieces
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

MAGIC = b"fLaC"
STREAMINFO = 34
"""Bytes of the block that comes first."""

_WHOLE = {1: "PCM_S8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
_TAIL = 1 << 16
"""Bytes at the end of a file in which its last frame is looked for where the size of the largest is not said."""

_TAGS, _LARGEST = 1 << 12, 1 << 20
"""Bytes behind the last frame that may be tags; more than frames have."""

_FRAME = 16
"""Bytes of the longest header of a frame."""

_SYNCS = (b"\xff\xf8", b"\xff\xf9")
_BLOCKS = {1: 192, **{code: 144 << code for code in range(2, 6)}, **{code: 1 << code for code in range(8, 16)}}
_BLOCK_BYTES, _RATE_BYTES = {6: 1, 7: 2}, {12: 1, 13: 2, 14: 2}
"""Bytes behind the number that tell the size of the block, and the rate, by code."""

_DEPTHS = {0: 0, 1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32}


def _of_byte(crc: int) -> int:
    for _ in range(8):
        crc = crc << 1 & 0xFF ^ (7 if crc & 0x80 else 0)
    return crc


_CRCS = bytes(map(_of_byte, range(256)))


class StreamInfo(NamedTuple):
    """What the first block says.

    `block` are the samples of a block where all but the last have as many, else 0; `largest` the bytes of the largest
    frame, 0 where that is not said.
    """

    format: AudioFormat
    frames: int
    block: int
    largest: int


def parse(pieces: Pieces) -> Header:
    """The header of a FLAC file. Raises `FormatError`."""
    kind, length = pieces.take(4, 1)[0] & 0x7F, int.from_bytes(pieces.take(5, 3), "big")
    if kind or length != STREAMINFO:
        raise FormatError("does not begin with STREAMINFO, as FLAC must")
    told = stream_info(pieces.take(8, STREAMINFO), "FLAC")
    end = _end(pieces, told)
    if not told.frames:
        return Header(format=told.format, frames=end or None, length=Length.EXACT)
    if end is not None and end < told.frames:
        what = f"is cut: its last frame ends at {end:,} of {told.frames:,} samples"
        fault = Fault(kind="truncated", what=what, expected=told.frames, found=end)
        return Header(format=told.format, frames=end, faults=(fault,))
    return Header(format=told.format, frames=told.frames, length=Length.DECLARED)


def stream_info(body: bytes, container: str) -> StreamInfo:
    """STREAMINFO, of 34 bytes. Raises `FormatError`."""
    packed = int.from_bytes(body[10:18], "big")
    rate, channels, bits, frames = packed >> 44, (packed >> 41 & 7) + 1, (packed >> 36 & 31) + 1, packed & (1 << 36) - 1
    form = known(container, _WHOLE[-(-bits // 8)], rate, channels, bits)
    block = int.from_bytes(body[:2], "big") if body[:2] == body[2:4] else 0
    return StreamInfo(form, frames, block, int.from_bytes(body[7:10], "big"))


def _end(pieces: Pieces, told: StreamInfo) -> int | None:
    """The number of the sample behind the last frame, which may lack some of its bytes; None if none was found.

    Zeros where the last frame should be are what a download leaves that was not finished: no sample is there.
    """
    tail, begins = pieces.tail(min(told.largest, _LARGEST) + _TAGS if told.largest else _TAIL)
    if not tail.strip(b"\0"):
        return 0
    first = 8 + STREAMINFO - begins
    ends = (end for at in _syncs(tail, max(first, 0)) if (end := _frame(tail[at : at + _FRAME], told)))
    return next((end for end in ends if not told.frames or end <= told.frames), None)


def _syncs(tail: bytes, first: int) -> Iterator[int]:
    """Places where a frame may begin, the last first."""
    end = len(tail)
    while (end := max(tail.rfind(sync, first, end + 1) for sync in _SYNCS)) >= 0:
        yield end


def _frame(head: bytes, told: StreamInfo) -> int:
    """The number of the sample behind the frame that begins so; 0 if this is the header of no frame of the stream."""
    if len(head) < 6:  # noqa: PLR2004 - sync, four codes, a number, CRC
        return 0
    block, rate, channels, depth, reserved = head[2] >> 4, head[2] & 15, head[3] >> 4, head[3] >> 1 & 7, head[3] & 1
    if not block or rate == 15 or channels > 10 or reserved:  # noqa: PLR2004 - RFC 9639, 9.1: codes that are not used
        return 0
    if _DEPTHS.get(depth, -1) not in {0, told.format.bits}:
        return 0
    number, at = _number(head)
    more = _BLOCK_BYTES.get(block, 0)
    size = int.from_bytes(head[at : at + more], "big") + 1 if more else _BLOCKS[block]
    at += more + _RATE_BYTES.get(rate, 0)
    if at >= len(head) or _crc(head[:at]) != head[at]:
        return 0
    if head[1] & 1:  # the number of its first sample, not its own
        return size + number
    return size + number * told.block if told.block else 0


def _number(head: bytes) -> tuple[int, int]:
    """The number of the frame or its first sample, coded as UTF-8 codes a character, and where that ends.

    It has up to 7 bytes. Where none is, it ends beyond all heads.
    """
    first = head[4]
    ones = 8 - (first ^ 0xFF).bit_length()
    if ones == 1 or ones == 8:  # noqa: PLR1714, PLR2004 - a byte that goes on with another, and one that never comes
        return 0, _FRAME
    number = first & (0x7F >> ones)
    for byte in head[5 : 4 + ones]:
        number = number << 6 | byte & 0x3F
    return number, 4 + max(ones, 1)


def _crc(data: bytes) -> int:
    """CRC-8 with the polynomial x^8 + x^2 + x + 1."""
    crc = 0
    for byte in data:
        crc = _CRCS[crc ^ byte]
    return crc
