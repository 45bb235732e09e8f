"""Boxes, of which ISO's base media files are made: each has a size, a name of four letters, and content.

Source: ISO/IEC 14496-12, 4.2; a size of 1 is followed by one of 64 bits, one of 0 goes on to the end of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from audit.formats.pieces import CutError, Pieces

_HEAD = struct.Struct(">I4s")
_MOST = 1000
"""More boxes than any box has in it that is looked into here."""

_LARGE = 8


class Box(NamedTuple):
    """A box: its name, where its content begins, and where that ends."""

    name: bytes
    at: int
    end: int

    def take(self, pieces: Pieces, offset: int, size: int) -> bytes:
        """Bytes of its content; raises `CutError` where it ends before."""
        if self.at + offset + size > self.end:
            name = self.name.decode("latin-1")
            raise CutError(f"has a box `{name}` that ends before what belongs in it")
        return pieces.take(self.at + offset, size)


def boxes(pieces: Pieces, at: int, end: int) -> Iterator[Box]:
    """The boxes from `at` to `end`, the last of which may go on beyond."""
    for _ in range(_MOST):
        head = pieces.some(at, _HEAD.size) if at + _HEAD.size <= end else b""
        if len(head) < _HEAD.size:
            return
        size, name = _HEAD.unpack(head)
        body = at + _HEAD.size
        if size == 1:
            size = int.from_bytes(pieces.take(body, _LARGE), "big")
            body += _LARGE
        further = at + size if size else end
        if further < body:
            return
        yield Box(name, body, further)
        at = further


def inside(pieces: Pieces, box: Box, *names: bytes) -> Box | None:
    """The first box of the first name in this one, the first of the second name in that, and so on."""
    for name in names:
        found = next((one for one in boxes(pieces, box.at, box.end) if one.name == name), None)
        if found is None:
            return None
        box = found
    return box
