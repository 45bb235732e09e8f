"""TIFF and BigTIFF: size, colour, orientation and profile of the first page, and how many pages there are.

Sources: TIFF 6.0, sections 2 to 8, 16, 18, 19 and 22; BigTIFF; ICC.1:2010, B.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.images.common import sized
from audit.formats.images.tiff_modes import Samples, format_of
from audit.formats.pieces import CutError, Pieces, Read, UnsupportedError
from audit.records.image import PictureHeader

SIGNS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

_KIND, _WIDTH, _HEIGHT, _BITS, _COMPRESSION, _COLOUR = 254, 256, 257, 258, 259, 262
_ORIENTATION, _CHANNELS, _EXTRA, _NUMBER, _ICC = 274, 277, 338, 339, 34675
_OLD_JPEG = 6
_REDUCED = 1
_TAGS = frozenset({_KIND, _WIDTH, _HEIGHT, _BITS, _COMPRESSION, _COLOUR, _ORIENTATION, _CHANNELS, _EXTRA, _NUMBER})

_TYPES = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 16: "Q", 17: "q"}
_MOST_VALUES = 64
_MOST_ENTRIES = 4096
_MOST_PAGES = 10_000


class _Layout(NamedTuple):
    """How directories are written: byte order, and the sizes of TIFF or BigTIFF."""

    order: str
    number: Struct
    entry: Struct
    next: Struct
    first: int


def _layout(order: str, *, big: bool) -> _Layout:
    if big:
        return _Layout(order, Struct(f"{order}Q"), Struct(f"{order}HHQ8s"), Struct(f"{order}Q"), 8)
    return _Layout(order, Struct(f"{order}H"), Struct(f"{order}HHI4s"), Struct(f"{order}I"), 4)


_LAYOUTS = {
    sign: _layout(order, big=big) for sign, order, big in zip(SIGNS, "<><>", (False, False, True, True), strict=True)
}


def parse(head: bytes, size: int, read: Read) -> PictureHeader:
    """The header of a TIFF. Raises `FormatError`."""
    pieces = Pieces(head, size, read)
    form = _LAYOUTS[head[:4]]
    (at,) = form.next.unpack(pieces.take(form.first, form.next.size))
    tags, icc = _directory(pieces, form, at)
    return _header(tags, form.order, icc, sum(1 for _ in _pages(pieces, form, at)))


def _header(tags: Mapping[int, tuple[int, ...]], order: str, icc: int, frames: int) -> PictureHeader:
    if _one(tags, _KIND, 0) & _REDUCED:
        raise UnsupportedError("begins with a reduced picture of another, as raw files of cameras do")
    width, height = sized(_one(tags, _WIDTH, 0), _one(tags, _HEIGHT, 0))
    old = _one(tags, _COMPRESSION, 1) == _OLD_JPEG
    samples = Samples(
        colour=6 if old else _one(tags, _COLOUR, 0),
        count=_one(tags, _CHANNELS, 3 if old else 1),
        bits=tags.get(_BITS, (1,)),
        number=_one(tags, _NUMBER, 1),
        extra=tags.get(_EXTRA, ()),
        packed=_one(tags, _COMPRESSION, 1) != 1,
        big_endian=order == ">",
    )
    turned = _one(tags, _ORIENTATION, 1)
    return PictureHeader(
        format=format_of(samples),
        width=width,
        height=height,
        orientation=turned if 1 <= turned <= 8 else 1,  # noqa: PLR2004 - TIFF's orientations
        icc=icc,
        frames=max(1, frames),
    )


def _one(tags: Mapping[int, tuple[int, ...]], tag: int, otherwise: int) -> int:
    return tags[tag][0] if tags.get(tag) else otherwise


def _directory(pieces: Pieces, form: _Layout, at: int) -> tuple[dict[int, tuple[int, ...]], int]:
    """The first values of each tag that is asked for, and the bytes of the colour profile."""
    (count,) = form.number.unpack(pieces.take(at, form.number.size))
    if not count or count > _MOST_ENTRIES:
        raise FormatError(f"has a directory of {count:,} entries at byte {at:,}")
    entries = pieces.take(at + form.number.size, count * form.entry.size)
    tags: dict[int, tuple[int, ...]] = {}
    icc = 0
    for tag, kind, number, value in form.entry.iter_unpack(entries):
        if tag == _ICC:
            icc = number
        elif tag in _TAGS and kind in _TYPES:
            tags[tag] = _values(pieces, form, kind, min(number, _MOST_VALUES), value)
    return tags, icc


def _values(pieces: Pieces, form: _Layout, kind: int, number: int, value: bytes) -> tuple[int, ...]:
    """Integers, which stand in the entry itself if there is room for them."""
    coded = Struct(f"{form.order}{number}{_TYPES[kind]}")
    if coded.size > len(value):
        value = pieces.take(form.next.unpack(value)[0], coded.size)
    return coded.unpack_from(value)


def _pages(pieces: Pieces, form: _Layout, at: int) -> Iterator[int]:
    """Where the directory of each page is, as far as the chain of them goes."""
    seen: set[int] = set()
    while at and at not in seen:
        if len(seen) == _MOST_PAGES:
            raise UnsupportedError(f"has more than {_MOST_PAGES:,} pages, which are not counted")
        seen.add(at)
        yield at
        try:
            (count,) = form.number.unpack(pieces.take(at, form.number.size))
            behind = at + form.number.size + count * form.entry.size
            (at,) = form.next.unpack(pieces.take(behind, form.next.size))
        except CutError:
            return
