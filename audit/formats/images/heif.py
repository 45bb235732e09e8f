"""HEIF and AVIF: what is said of the primary item. Sources: ISO/IEC 23008-12, 6.5 and 9.3; ISO/IEC 14496-12, 8.11.

How `irot` and `imir` become one orientation is ISO/IEC 23000-22 (MIAF), 7.3.6.7: turned first, then mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.images.boxes import Box, boxes
from audit.formats.images.common import known, sized
from audit.formats.pieces import Pieces, Read
from audit.records.image import PictureHeader

_AVIF = frozenset({b"avif", b"avis"})
BRANDS = frozenset({b"mif1", b"mif2", b"msf1", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}) | _AVIF

_ALPHA = (b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0", b"urn:mpeg:hevc:2015:auxid:1\0")
_TURNED = {(0, None): 1, (1, None): 8, (2, None): 3, (3, None): 6, (0, 0): 4, (0, 1): 2, (1, 0): 5, (1, 1): 7}
_TURNED |= {(2, 0): 2, (2, 1): 4, (3, 0): 7, (3, 1): 5}
"""The orientation of EXIF, by quarter turns against the clock, and the axis of the mirror."""

_MOST_ITEMS = 4096


class _Said(NamedTuple):
    """What the properties of an item say: its sides, channels and their bits, quarter turns, mirror, colour profile."""

    width: int = 0
    height: int = 0
    channels: int = 3
    bits: int = 8
    turns: int = 0
    axis: int | None = None
    icc: int = 0


def brands(head: bytes) -> frozenset[bytes]:
    """The brands that a file lays claim to, as far as they stand in its head; none if it is not of boxes."""
    if head[4:8] != b"ftyp":
        return frozenset()
    end = min(int.from_bytes(head[:4], "big"), len(head))
    return frozenset(head[at : at + 4] for at in (8, *range(16, end - 3, 4)))


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a HEIF or AVIF picture. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    name = "AVIF" if brands(head) & _AVIF else "HEIF"
    outer: dict[bytes, Box] = {}
    for box in boxes(pieces, 0, size):
        outer.setdefault(box.name, box)
        if box.name == b"mdat" and b"meta" in outer:
            break
    if b"meta" not in outer:
        raise FormatError("says nothing of a picture: it has no box `meta`")
    said, alpha = _primary(pieces, outer[b"meta"])
    width, height = sized(said.width, said.height)
    grey = said.channels == 1
    mode = ("L" if grey else "RGB") + ("A" if alpha else "")
    return PictureHeader(
        format=known(name, mode, len(mode), said.bits),
        width=width,
        height=height,
        orientation=_TURNED[said.turns, said.axis],
        icc=said.icc,
        frames=_frames(pieces, outer.get(b"moov")),
    )


def _primary(pieces: Pieces, meta: Box) -> tuple[_Said, bool]:
    """What the properties of the primary item say, and whether any item is alpha."""
    found = {box.name: box for box in boxes(pieces, meta.start + 4, meta.end)}
    if b"pitm" not in found or b"iprp" not in found:
        raise FormatError("does not say which of its pictures is the primary one")
    pitm = found[b"pitm"]
    item = int.from_bytes(pieces.take(pitm.start + 4, 4 if pieces.take(pitm.start, 1)[0] else 2), "big")
    inner = list(boxes(pieces, found[b"iprp"].start, found[b"iprp"].end))
    listed = [one for box in inner if box.name == b"ipco" for one in boxes(pieces, box.start, box.end)]
    numbers = [one for box in inner if box.name == b"ipma" for one in _associated(pieces, box, item)]
    said = _Said()
    for number in numbers:
        if 0 < number <= len(listed):
            said = _told(pieces, listed[number - 1], said)
    alpha = any(one.name == b"auxC" and pieces.some(one.start + 4, 44).startswith(_ALPHA) for one in listed)
    return said, alpha


def _told(pieces: Pieces, one: Box, said: _Said) -> _Said:
    data = pieces.some(one.start, min(12, one.end - one.start)).ljust(12, b"\0")
    if one.name == b"ispe":
        return said._replace(width=int.from_bytes(data[4:8], "big"), height=int.from_bytes(data[8:12], "big"))
    if one.name == b"pixi":
        return said._replace(channels=data[4], bits=data[5])
    if one.name == b"irot":
        return said._replace(turns=data[0] & 3)
    if one.name == b"imir":
        return said._replace(axis=data[0] & 1)
    if one.name == b"colr" and data[:4] in {b"prof", b"rICC"}:
        return said._replace(icc=one.end - one.start - 4)
    return said


def _associated(pieces: Pieces, box: Box, wanted: int) -> Iterator[int]:
    """The numbers of the properties of an item (ISO/IEC 23008-12, 9.3.1)."""
    data = pieces.take(box.start, min(box.end - box.start, 1 << 16))
    wide, long = (4 if data[:1] > b"\0" else 2), (2 if data[3:4] and data[3] & 1 else 1)
    at = 8
    for _ in range(min(int.from_bytes(data[4:8], "big"), _MOST_ITEMS)):
        item, count = (
            int.from_bytes(data[at : at + wide], "big"),
            int.from_bytes(data[at + wide : at + wide + 1], "big"),
        )
        at += wide + 1
        if item == wanted:
            for place in range(at, at + count * long, long):
                yield int.from_bytes(data[place : place + long], "big") & (0x7FFF if long > 1 else 0x7F)
        at += count * long


def _frames(pieces: Pieces, box: Box | None) -> int:
    """How many pictures a sequence has, of its first track (ISO/IEC 14496-12, 8.7.3); 1 where there is none."""
    for name in (b"trak", b"mdia", b"minf", b"stbl", b"stsz"):
        if box is None:
            return 1
        box = next((one for one in boxes(pieces, box.start, box.end) if one.name == name), None)
    return max(1, int.from_bytes(pieces.some(box.start + 8, 4), "big")) if box else 1
