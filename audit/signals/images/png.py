"""PNG: every chunk's CRC, and whether all of the picture is there.

Source: Portable Network Graphics (third edition), sections 5, 7, 8 and 10.
"""

from __future__ import annotations

import io
import zlib

from msgspec.structs import replace

from audit.records.decoded import Decoded
from audit.records.signals import Fault
from audit.signals.images.pillow import decoded, plain
from audit.signals.images.reading import BLOCK, Read, Stop, Wish, blocks, bounded, reader

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))

_IEND = b"\0\0\0\0IEND\xaeB`\x82"


def png(file: io.FileIO, size: int, name: str, wish: Wish) -> Decoded:
    """Walk all chunks and their CRCs, then decode."""
    inflation, end = chunks(reader(file), size, wish.most)
    if inflation is None or not inflation.whole:
        if not end:
            raise Stop("truncated", f"ends after {size:,} bytes, before its picture does", None, size)
        held = inflation.found if inflation else 0
        expected = inflation.expected if inflation else None
        raise Stop("corrupt", f"its data stream holds {held:,} bytes of pixels, not {expected:,}", expected, held)
    if end:
        said = plain(file, size, name, wish)
        fault = Fault(kind="trailing", what=f"has {size - end:,} bytes behind its end marker", found=size - end)
        return said if size == end else replace(said, faults=(fault,))
    data = b"".join(blocks(reader(file), 0, size))
    fault = Fault(kind="end-marker", what="holds all its pixels, but not the end marker of PNG (IEND)")
    return decoded(io.BytesIO(_without_end(data) + _IEND), name, wish, (fault,))


def _without_end(data: bytes) -> bytes:
    """Without what is left of a cut end marker."""
    return next((data[:-length] for length in range(11, 0, -1) if data.endswith(_IEND[:length])), data)


class Inflation:
    """Counts what the data stream of a PNG decompresses to, and holds none of it."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.found = 0
        self._stream = zlib.decompressobj()

    @property
    def whole(self) -> bool:
        """Whether the stream has ended, its checksum verified, with all that the picture takes."""
        return self._stream.eof and self.found == self.expected

    def feed(self, data: bytes) -> None:
        """Take a piece of the stream; raises `Stop` where it is broken or too long."""
        while not self._stream.eof:
            try:
                out = self._stream.decompress(data, BLOCK)
            except zlib.error as error:
                raise Stop("corrupt", f"its data stream is broken ({error})") from None
            self.found += len(out)
            if self.found > self.expected:
                what = f"its data stream holds more than the {self.expected:,} bytes of its pixels"
                raise Stop("corrupt", what, self.expected)
            data = self._stream.unconsumed_tail
            if not data and len(out) < BLOCK:
                return


def chunks(read: Read, size: int, most: int) -> tuple[Inflation | None, int]:
    """What the image data amounts to, and the offset behind IEND; 0 where only that is missing."""
    at, inflation = 8, None
    while at < size:
        head = read(at, 8)
        length, tag = int.from_bytes(head[:4], "big"), head[4:8]
        if length >> 31:
            raise Stop("corrupt", f"the chunk at byte {at:,} claims {length:,} bytes")
        if at + 12 + length > size:
            if _IEND.startswith(read(at, 12)):
                break
            raise Stop("truncated", f"ends after {size:,} bytes, in the chunk at byte {at:,}", at + 12 + length, size)
        if at == 8:  # noqa: PLR2004 - behind the signature
            inflation = Inflation(_pixel_bytes(tag, read(at + 8, 13), most))
        _verified(read, at, length, inflation if tag == b"IDAT" else None)
        at += 12 + length
        if tag == b"IEND":
            return inflation, at
    return inflation, 0


def _pixel_bytes(tag: bytes, header: bytes, most: int) -> int:
    """How long the data stream is, filter bytes included (PNG, 7.2 and 8.1)."""
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    if tag != b"IHDR" or len(header) < 13 or header[9] not in _CHANNELS:  # noqa: PLR2004 - the size of IHDR
        raise Stop("corrupt", "does not begin with a header of PNG (IHDR)")
    bounded(width, height, most)
    bits = header[8] * _CHANNELS[header[9]]
    passes = _ADAM7 if header[12] else ((0, 0, 1, 1),)
    sides = ((-((x - width) // across), -((y - height) // down)) for x, y, across, down in passes)
    return sum(rows * ((columns * bits + 7) // 8 + 1) for columns, rows in sides if columns > 0 and rows > 0)


def _verified(read: Read, at: int, length: int, inflation: Inflation | None) -> None:
    """Hold a chunk's CRC against its bytes, and count what image data decompresses to."""
    tag = read(at + 4, 4)
    crc = zlib.crc32(tag)
    for block in blocks(read, at + 8, at + 8 + length):
        crc = zlib.crc32(block, crc)
        if inflation:
            inflation.feed(block)
    said = int.from_bytes(read(at + 8 + length, 4), "big")
    if crc != said:
        name = tag.decode("ascii", "backslashreplace")
        raise Stop("corrupt", f"the CRC of its chunk {name} at byte {at:,} is {said:08x}, not {crc:08x}")
