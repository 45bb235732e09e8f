"""Boxes, of which JPEG 2000, HEIF and AVIF are made. Source: ISO/IEC 14496-12, 4.2; ISO/IEC 15444-1, annex I.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.pieces import Pieces

_MOST = 4096
"""More boxes than any other has within it."""


class Box(NamedTuple):
    """A box: its name, where its content begins and where it ends."""

    name: bytes
    start: int
    end: int


def boxes(pieces: Pieces, at: int, end: int) -> Iterator[Box]:
    """The boxes between `at` and `end`, as far as the file goes. Raises `FormatError`."""
    for _ in range(_MOST):
        head = pieces.some(at, 8)
        if at + 8 > end or len(head) < 8:  # noqa: PLR2004 - length and name
            return
        length, start = int.from_bytes(head[:4], "big"), at + 8
        if length == 1:
            length, start = int.from_bytes(pieces.take(start, 8), "big"), start + 8
        stop = at + length if length else end
        if not start <= stop <= end:
            raise FormatError(f"has a box at byte {at:,} that claims {length:,} bytes, more than there is room for")
        yield Box(head[4:], start, stop)
        at = stop
    raise FormatError(f"has more than {_MOST:,} boxes in one")
