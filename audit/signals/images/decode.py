"""Pictures decoded whole, and held against what Pillow passes over in silence.

Pillow hears none of libjpeg's warnings, so it fills what is missing of a JPEG with grey; it verifies no CRC of
PNG's ancillary chunks, nor that all of the picture was there. So both are walked here as well.

Sources: ITU-T T.81 annexes B and F (JPEG), the PNG specification (third edition) sections 5, 8 and 10, GIF89a, and
RFC 9649 (WebP).
"""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.errors import FormatError
from audit.formats.lfs import POINTER_LIMIT, pointer_size
from audit.records.decoded import Decoded
from audit.records.signals import Fault

if TYPE_CHECKING:
    from PIL.Image import Image

    Read = Callable[[int, int], bytes]

MOST_PIXELS = 178_956_970
"""Pillow's own limit: a quarter of a GiB at three bytes a pixel."""

MOST_FRAMES = 10_000
BLOCK = 1 << 18

_SIGNS = (
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
SIGNS = tuple((re.compile(sign, re.DOTALL), name) for sign, name in _SIGNS)
_OTHERS = re.compile(
    rb"....ftyp|\xff\x0a|\0\0\0\x0cJXL |%!PS|8BPS|\0\0[\x01\x02]\0|v/1\x01|#\?RADIANCE|<svg|DDS ", re.DOTALL
)
"""HEIF, JPEG XL, PostScript (whose decoder would run it), Photoshop, icons, OpenEXR, Radiance, SVG, DirectDraw."""

_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_RESTART = re.compile(rb"\xff[\xd0-\xd7]")
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_EOI = b"\xff\xd9"
_IEND = b"\0\0\0\0IEND\xaeB`\x82"
_AHEAD = 7
"""Bytes that libjpeg wants to have beyond those that it needs."""

_SPARE = 8
"""Bytes behind a scan that some cameras leave there."""


class Stop(Exception):  # noqa: N818 - what stops the look is an answer
    """The one fault that ends the look at a file."""

    def __init__(self, kind: str, what: str, expected: int | None = None, found: int | None = None) -> None:
        super().__init__(what)
        self.fault = Fault(kind=kind, what=what, expected=expected, found=found)


def strict() -> None:
    """Have Pillow tolerate nothing, whatever was set before, and leave the number of pixels to us."""
    import warnings

    from PIL import Image, ImageFile

    warnings.simplefilter("ignore")
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = None


def decode(file: io.FileIO, most: int = MOST_PIXELS) -> Decoded:
    """Decode all of an open file, of pictures of at most `most` pixels; a faulty file has its fault in the answer.

    Raises `FormatError` for more than `MOST_FRAMES` frames, `OSError` where the file cannot be read, `MemoryError`.
    """
    name = ""
    try:
        size = os.fstat(file.fileno()).st_size
        name = _recognised(file, size)
        return _LOOKS.get(name, _plain)(file, size, name, most)
    except Stop as stop:
        return Decoded(format=name, faults=(stop.fault,))


def _recognised(file: io.FileIO, size: int) -> str:
    head = _reader(file)(0, POINTER_LIMIT)
    if size < POINTER_LIMIT and pointer_size(head)[0]:
        raise Stop("pointer", "is a Git LFS pointer, not content")
    if not head.strip(b"\0") and not any(block.strip(b"\0") for block in _blocks(_reader(file), 0, size)):
        raise Stop("empty", f"is {size:,} bytes, all of them zero" if size else "is empty: 0 bytes", None, size)
    for sign, name in SIGNS:
        if sign.match(head):
            return name
    begins = head[:8].hex(" ")
    if _OTHERS.match(head):
        raise Stop("unsupported", f"is of a format that is not decoded here (it begins with {begins})")
    raise Stop("unknown", f"is no picture (it begins with {begins})")


def _reader(file: io.FileIO) -> Read:
    return lambda offset, size: os.pread(file.fileno(), size, offset)


def _blocks(read: Read, offset: int, end: int) -> Iterator[bytes]:
    while offset < end and (block := read(offset, min(BLOCK, end - offset))):
        yield block
        offset += len(block)


def bounded(width: int, height: int, most: int) -> None:
    """Refuse a picture of no pixels, or of more than `most`."""
    if width * height > most:
        what = f"declares {width} x {height} = {width * height:,} pixels, more than {most:,} (max_pixels)"
        raise Stop("bomb", what, most, width * height)
    if not width * height:
        raise Stop("corrupt", f"declares {width} x {height} pixels")


def _plain(file: io.FileIO, size: int, name: str, most: int) -> Decoded:
    """A format whose decoder tells all that can be known."""
    if name == "TIFF":
        _tiff_directory(_reader(file), size)
    with open(file.fileno(), "rb", closefd=False) as stream:
        stream.seek(0)
        return _decoded(stream, name, most)


def _tiff_directory(read: Read, size: int) -> None:
    head = read(0, 16)
    order: Any = "little" if head[:2] == b"II" else "big"
    at = int.from_bytes(head[8:16] if 43 in head[2:4] else head[4:8], order)  # noqa: PLR2004 - BigTIFF's version
    if at >= size:
        raise Stop("truncated", f"ends after {size:,} bytes; its directory is at byte {at:,}", at, size)


def _decoded(stream: Any, name: str, most: int, notes: tuple[Fault, ...] = ()) -> Decoded:
    """Decode every frame, each bounded before it is loaded."""
    frames = pixels = 0
    try:
        with _opened(stream, name) as picture:
            for frame in _frames(picture):
                bounded(*frame.size, most)
                frame.load()
                frames, pixels = frames + 1, pixels + frame.width * frame.height
    except (Stop, FormatError, MemoryError):
        raise
    except Exception as error:
        raise _told(error, frames) from error
    return Decoded(format=name, frames=frames, pixels=pixels, faults=notes)


def _opened(stream: Any, name: str) -> Image:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(stream, formats=(name,))
    except UnidentifiedImageError:  # its text holds an address
        raise Stop("corrupt", f"begins as {name} does, but its header cannot be read") from None


def _frames(picture: Image) -> Iterator[Image]:
    """Each frame or page; of what is several JPEGs in one file (MPO) the first, which is what loaders see."""
    for index in range(1 if picture.format == "MPO" else MOST_FRAMES + 1):
        try:
            picture.seek(index)
        except EOFError:
            return
        if index == MOST_FRAMES:
            raise FormatError(f"holds more than {MOST_FRAMES:,} frames; the others were not decoded")
        yield picture


def _told(error: Exception, frames: int) -> Exception:
    """What a decoder's exception says of the file; one with a number comes from the disk."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    place = f"frame {frames + 1} " if frames else ""
    text = f"{place}cannot be decoded: {type(error).__name__}: {str(error)[:160]}"
    return Stop("truncated" if "truncated" in str(error).lower() else "corrupt", text)


class Gate(io.BytesIO):
    """A JPEG that is handed out up to one stop after the other; `asked` are those beyond which more was asked for.

    Pillow asks for no more as soon as it has the last row of pixels, whether an end marker came or not.
    """

    def __init__(self, data: bytes, stops: tuple[int, ...]) -> None:
        super().__init__(data)
        self.asked: set[int] = set()
        self._stops = stops

    def read(self, size: int | None = -1, /) -> bytes:
        """No further than to the next stop."""
        at = self.tell()
        if at in self._stops:
            self.asked.add(at)
        left = min((stop - at for stop in self._stops if stop > at), default=None)
        wanted = -1 if size is None else size
        return super().read(wanted if left is None else left if wanted < 0 else min(wanted, left))


class Scans(NamedTuple):
    """What the markers of a JPEG say: its frame header's marker and payload, the first scan, how many, the end.

    `end` is behind the end marker; 0 where it is missing. `interval` is that of restart markers, in MCUs. `early`:
    zeros may end a block before its 64 coefficients are there (they are the code for "end of block").
    """

    frame: int
    header: bytes
    start: int
    stop: int
    scans: int
    end: int
    interval: int
    early: bool


def scans(data: bytes) -> Scans:
    """Walk the markers (T.81, B.1). Raises `Stop` where the data ends before a scan has begun."""
    at, frame, header, start, stop, count, interval, early = 2, 0, b"", 0, 0, 0, 0, False
    while (at := data.find(b"\xff", at)) >= 0 and (at := _code(data, at)) < len(data):
        code, payload = data[at], data[at + 3 : at + 1 + int.from_bytes(data[at + 1 : at + 3], "big")]
        if code == 0xD9:  # noqa: PLR2004 - EOI
            return Scans(frame, header, start, stop, count, at + 1, interval, early)
        at += 1
        if code in {0x00, 0x01, *range(0xD0, 0xD9)}:
            continue
        at += max(2, int.from_bytes(data[at : at + 2], "big"))
        if 0xC0 <= code <= 0xCF and code not in {0xC4, 0xC8, 0xCC}:  # noqa: PLR2004 - frame headers: T.81, B.1.1.3
            frame, header = code, payload
        elif code == 0xC4:  # noqa: PLR2004 - DHT
            early |= _zeros_end(payload)
        elif code == 0xDD:  # noqa: PLR2004 - DRI
            interval = int.from_bytes(payload[:2], "big")
        elif code == 0xDA and at < len(data):  # noqa: PLR2004 - SOS
            count, end = count + 1, _scan_end(data, at)
            start, stop = (at, end) if count == 1 else (start, stop)
            at = end
    if not count:
        raise Stop("truncated", f"ends after {len(data):,} bytes, before its picture begins", None, len(data))
    return Scans(frame, header, start, stop, count, 0, interval, early)


def _scan_end(data: bytes, at: int) -> int:
    """Where the scan's data ends: at the next marker and its fill bytes (T.81, B.1.1.2), or with the file."""
    behind = _AFTER_SCAN.search(data, at)
    end = behind.start() if behind else len(data)
    while end > at and data[end - 1] == 0xFF:  # noqa: PLR2004 - a fill byte
        end -= 1
    return end


def _zeros_end(tables: bytes) -> bool:
    """Whether zeros are "end of block" in one of these Huffman tables: the first symbol has that code (T.81, C.2)."""
    at = 0
    while at + 17 < len(tables):
        if tables[at] >> 4 and tables[at + 17] == 0:
            return True
        at += 17 + sum(tables[at + 1 : at + 17])
    return False


def _code(data: bytes, at: int) -> int:
    """Where the marker's code is, behind fill bytes."""
    while data[at : at + 1] == b"\xff":
        at += 1
    return at


def _jpeg(file: io.FileIO, size: int, name: str, most: int) -> Decoded:
    data = b"".join(_blocks(_reader(file), 0, size))
    found = scans(data)
    if len(found.header) >= 6:  # noqa: PLR2004 - precision, lines, samples a line, components
        bounded(int.from_bytes(found.header[3:5], "big"), int.from_bytes(found.header[1:3], "big") or 1, most)
    sequential = found.frame in {0xC0, 0xC1} and found.scans == 1
    if not found.end and not sequential:
        raise Stop("truncated", f"ends after {size:,} bytes, in a scan, without an end marker", None, size)
    if not sequential:
        return _decoded(io.BytesIO(data), name, most, _trailing(size, found.end, data))
    said = _sequential(data, found, name, most)
    if not found.end:
        fault = Fault(kind="end-marker", what="holds all its pixels, but not the end marker of JPEG (EOI)")
        return Decoded(format=name, frames=said.frames, pixels=said.pixels, faults=(fault,))
    return said


def _sequential(data: bytes, found: Scans, name: str, most: int) -> Decoded:
    """Decode a JPEG of one scan, and see that the scan is used up when the picture is whole, and no sooner."""
    _restarts(data, found)
    filler = (b"\xff\0" if found.early else b"\0") * _AHEAD  # all ones are no code, and end a block later than zeros
    early = len(data[found.start : found.stop].rstrip(b"\0")) + found.start - _SPARE
    late = found.stop + len(filler)
    gate = Gate(
        data[: found.stop] + filler + (data[found.stop :] if found.end else _EOI),
        (early, late) if early > found.start else (late,),
    )
    said = _decoded(gate, name, most, _trailing(len(data), found.end, data))
    if late in gate.asked:
        size = len(data)
        if not found.end:
            raise Stop("truncated", f"ends after {size:,} bytes, before its picture does", None, size)
        raise Stop("corrupt", "its data ends before its picture does: a part is missing or damaged")
    if early > found.start and early not in gate.asked:
        raise Stop("corrupt", f"its picture is whole more than {_SPARE} bytes before its data ends: it is damaged")
    return said


def _restarts(data: bytes, found: Scans) -> None:
    """Count restart markers: one between every two intervals (T.81, B.2.1)."""
    header = found.header
    sampling = [header[at] for at in range(7, len(header), 3)]
    if not found.interval or not sampling or not all(each >> 4 and each & 15 for each in sampling):
        return
    across, down = (max(each >> 4 for each in sampling), max(each & 15 for each in sampling))
    if len(sampling) == 1:
        across = down = 1
    width, height = int.from_bytes(header[3:5], "big"), int.from_bytes(header[1:3], "big")
    units = -(-width // (8 * across)) * -(-height // (8 * down))
    expected, seen = -(-units // found.interval) - 1, len(_RESTART.findall(data, found.start, found.stop))
    if height and seen < expected:
        kind = "corrupt" if found.end else "truncated"
        raise Stop(kind, f"has {seen} of {expected} restart markers: a part is missing or damaged", expected, seen)


def _trailing(size: int, end: int, data: bytes) -> tuple[Fault, ...]:
    """A note on what stands behind the end marker; not on a further JPEG, nor on zeros, which fill up blocks."""
    if not end or not data[end:].strip(b"\0") or data.startswith(b"\xff\xd8", end):
        return ()
    return (Fault(kind="trailing", what=f"has {size - end:,} bytes behind its end marker", found=size - end),)


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


def _png(file: io.FileIO, size: int, name: str, most: int) -> Decoded:
    """Walk all chunks and their CRCs, then decode."""
    inflation, end = chunks(_reader(file), size, most)
    if inflation is None or not inflation.whole:
        if not end:
            raise Stop("truncated", f"ends after {size:,} bytes, before its picture does", None, size)
        held = inflation.found if inflation else 0
        expected = inflation.expected if inflation else None
        raise Stop("corrupt", f"its data stream holds {held:,} bytes of pixels, not {expected:,}", expected, held)
    if end:
        said = _plain(file, size, name, most)
        fault = Fault(kind="trailing", what=f"has {size - end:,} bytes behind its end marker", found=size - end)
        return said if size == end else Decoded(format=name, frames=said.frames, pixels=said.pixels, faults=(fault,))
    data = b"".join(_blocks(_reader(file), 0, size))
    fault = Fault(kind="end-marker", what="holds all its pixels, but not the end marker of PNG (IEND)")
    return _decoded(io.BytesIO(_without_end(data) + _IEND), name, most, (fault,))


def _without_end(data: bytes) -> bytes:
    """Without what is left of a cut end marker."""
    return next((data[:-length] for length in range(11, 0, -1) if data.endswith(_IEND[:length])), data)


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
    for block in _blocks(read, at + 8, at + 8 + length):
        crc = zlib.crc32(block, crc)
        if inflation:
            inflation.feed(block)
    said = int.from_bytes(read(at + 8 + length, 4), "big")
    if crc != said:
        name = tag.decode("ascii", "backslashreplace")
        raise Stop("corrupt", f"the CRC of its chunk {name} at byte {at:,} is {said:08x}, not {crc:08x}")


def _gif(file: io.FileIO, size: int, name: str, most: int) -> Decoded:
    """Walk the blocks for the canvas and the trailer, then decode."""
    with open(file.fileno(), "rb", closefd=False) as stream:
        stream.seek(0)
        ended = _gif_walked(stream, most)
    said = _plain(file, size, name, most)
    if ended:
        return said
    fault = Fault(kind="end-marker", what=f"ends after {size:,} bytes without a trailer; later frames may be missing")
    return Decoded(format=name, frames=said.frames, pixels=said.pixels, faults=(fault,))


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


def _webp(file: io.FileIO, size: int, name: str, most: int) -> Decoded:
    """Hold the size that RIFF declares, and the canvas, which is allocated on opening, against their bounds."""
    head = _reader(file)(0, 30)
    declared = int.from_bytes(head[4:8], "little") + 8
    if declared > size:
        raise Stop("truncated", f"ends after {size:,} of {declared:,} bytes", declared, size)
    if len(head) == 30:  # noqa: PLR2004 - what the three kinds of first chunk need
        bounded(*_webp_canvas(head), most)
    return _plain(file, size, name, most)


def _webp_canvas(head: bytes) -> tuple[int, int]:
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF


_LOOKS: dict[str, Callable[[io.FileIO, int, str, int], Decoded]] = {
    "JPEG": _jpeg,
    "PNG": _png,
    "GIF": _gif,
    "WEBP": _webp,
}
