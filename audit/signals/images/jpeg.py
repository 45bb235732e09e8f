"""JPEG: what libjpeg passes over in silence, filling what is missing with grey. Source: ITU-T T.81, annexes B and F."""

from __future__ import annotations

import io
import re
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from audit.records.decoded import Decoded
from audit.records.signals import Fault
from audit.signals.images.pillow import decoded
from audit.signals.images.reading import Stop, Wish, blocks, bounded, reader

_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")

_RESTART = re.compile(rb"\xff[\xd0-\xd7]")

_EOI = b"\xff\xd9"

_AHEAD = 7
"""Bytes that libjpeg wants to have beyond those that it needs."""

_SPARE = 8
"""Bytes behind a scan that some cameras leave there."""

_GULP = 1 << 16
"""Bytes that Pillow asks for while it decodes (ImageFile.MAXBLOCK); no part of a header that it reads is as long."""

_STANDALONE = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})
"""Codes without a payload (T.81, B.1.1.3): none, TEM, RST, SOI."""


class Gate(io.BytesIO):
    """A JPEG that is handed out up to one stop after the other; `asked` are those beyond which more was asked for.

    Pillow asks for no more as soon as it has the last row of pixels, whether an end marker came or not. It gets more
    than it asks for while it decodes: each piece that it has to put to the rest of the one before takes time.
    """

    def __init__(self, data: bytes, stops: tuple[int, ...]) -> None:
        super().__init__(data)
        self.asked: set[int] = set()
        self._stops = stops

    def read(self, size: int | None = -1, /) -> bytes:
        """No further than to the next stop."""
        at = self.tell()
        for stop in self._stops:
            if at == stop:
                self.asked.add(at)
            elif at < stop:
                return super().read(size if size is not None and 0 <= size < min(_GULP, stop - at) else stop - at)
        return super().read(size)


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


def jpeg(file: io.FileIO, size: int, name: str, wish: Wish) -> Decoded:
    """Walk the markers, then decode; of one sequential scan see that all its data is needed.

    libjpeg reads nothing behind a marker in a scan. So a scan that is taken to go on to the end marker at the end of
    the file, and is needed to its last bytes, is sound; only other files are searched for markers byte by byte.
    """
    data = b"".join(blocks(reader(file), 0, size))
    if data.endswith(_EOI):
        found = scans(data, size - len(_EOI))
        last = _last(data, found)
        if _simple(found) and not found.interval and found.start < last and _scan_end(data, last - 1) == found.stop:
            with suppress(Stop):
                return _sequential(data, found, name, wish)
    return _searched(data, name, wish)


def _searched(data: bytes, name: str, wish: Wish) -> Decoded:
    """Decode a JPEG, or say what is wrong with it, by where its markers are."""
    size, found = len(data), scans(data)
    if len(found.header) >= 6:  # noqa: PLR2004 - precision, lines, samples a line, components
        bounded(int.from_bytes(found.header[3:5], "big"), int.from_bytes(found.header[1:3], "big") or 1, wish.most)
    if not found.end and not _simple(found):
        raise Stop("truncated", f"ends after {size:,} bytes, in a scan, without an end marker", None, size)
    if not _simple(found):
        return decoded(io.BytesIO(data), name, wish, _trailing(size, found.end, data))
    _restarts(data, found)
    said = _sequential(data, found, name, wish)
    if not found.end:
        fault = Fault(kind="end-marker", what="holds all its pixels, but not the end marker of JPEG (EOI)")
        return replace(said, faults=(fault,))
    return said


def _simple(found: Scans) -> bool:
    """Whether there is one sequential scan, coded after Huffman."""
    return found.frame in {0xC0, 0xC1} and found.scans == 1


def _last(data: bytes, found: Scans) -> int:
    """Where the last bytes of the scan begin, without which no picture is whole."""
    stop = found.stop
    if data[stop - 1 : stop] == b"\0":
        stop = found.start + len(data[found.start : stop].rstrip(b"\0"))
    return stop - _SPARE


def _sequential(data: bytes, found: Scans, name: str, wish: Wish) -> Decoded:
    """Decode a JPEG of one scan, and see that the scan is used up when the picture is whole, and no sooner."""
    filler = (b"\xff\0" if found.early else b"\0") * _AHEAD  # all ones are no code, and end a block later than zeros
    early, late = _last(data, found), found.stop + len(filler)
    gate = Gate(
        data[: found.stop] + filler + (data[found.stop :] if found.end else _EOI),
        (early, late) if early > found.start else (late,),
    )
    said = decoded(gate, name, wish, _trailing(len(data), found.end, data))
    if late in gate.asked:
        size = len(data)
        if not found.end:
            raise Stop("truncated", f"ends after {size:,} bytes, before its picture does", None, size)
        raise Stop("corrupt", "its data ends before its picture does: a part is missing or damaged")
    if early > found.start and early not in gate.asked:
        raise Stop("corrupt", f"its picture is whole more than {_SPARE} bytes before its data ends: it is damaged")
    return said


def scans(data: bytes, end: int = 0) -> Scans:
    """Walk the markers (T.81, B.1).

    A scan of all components, after which there is none for libjpeg, is taken to go on to `end`, if that is given.
    Raises `Stop` where the data ends before a scan has begun.
    """
    at, frame, header, start, stop, count, interval, early = 2, 0, b"", 0, 0, 0, 0, False
    while (at := data.find(b"\xff", at)) >= 0 and (at := _code(data, at)) < len(data):
        code, payload = data[at], data[at + 3 : at + 1 + int.from_bytes(data[at + 1 : at + 3], "big")]
        if code == 0xD9:  # noqa: PLR2004 - EOI
            return Scans(frame, header, start, stop, count, at + 1, interval, early)
        at += 1
        if code in _STANDALONE:
            continue
        at += max(2, int.from_bytes(data[at : at + 2], "big"))
        if 0xC0 <= code <= 0xCF and code not in {0xC4, 0xC8, 0xCC}:  # noqa: PLR2004 - frame headers: T.81, B.1.1.3
            frame, header = code, payload
        elif code == 0xC4:  # noqa: PLR2004 - DHT
            early |= _zeros_end(payload)
        elif code == 0xDD:  # noqa: PLR2004 - DRI
            interval = int.from_bytes(payload[:2], "big")
        elif code == 0xDA and at < len(data):  # noqa: PLR2004 - SOS
            count, behind = count + 1, end if end and payload[:1] == header[5:6] else _scan_end(data, at)
            start, stop = (at, behind) if count == 1 else (start, stop)
            at = behind
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
