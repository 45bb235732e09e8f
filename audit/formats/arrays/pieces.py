"""The bytes of a file of arrays by their place."""

from __future__ import annotations

from audit.formats import pieces
from audit.formats.arrays.common import BadError


class Pieces(pieces.Pieces):
    """Bytes of a file by their place; a file that ends before what is taken is `truncated`."""

    __slots__ = ()

    def take(self, at: int, size: int) -> bytes:
        """These bytes; raises `BadError` where the file ends before, and then reads nothing."""
        piece = self.some(at, size) if at + size <= self.size else b""
        if len(piece) < size:
            what = f"ends after {self.size:,} bytes, before its header does"
            raise BadError("truncated", what, at + size, self.size)
        return piece
