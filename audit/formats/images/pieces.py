"""A picture's bytes by their place, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from audit.errors import FormatError
from audit.records.image import PictureFormat

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

WINDOW = 4096
"""Bytes that are read at once beyond the head of a file."""


class CutError(FormatError):
    """The file ends before its header does."""


class UnsupportedError(FormatError):
    """The header is sound as far as can be told, and not understood here."""


class Pieces:
    """Bytes of a file of `size` bytes by their place: those of its head, else read anew, a window at a time."""

    __slots__ = ("_at", "_head", "_read", "_window", "size")

    def __init__(self, head: bytes, size: int, read: Read) -> None:
        self.size = size
        self._head = self._window = head
        self._at = 0
        self._read = read

    def some(self, at: int, size: int) -> bytes:
        """Up to `size` bytes from `at` on, fewer where the file ends before."""
        if at + size <= len(self._head):
            return self._head[at : at + size]
        place = at - self._at
        if place < 0 or place + size > len(self._window):
            if at >= self.size:
                return b""
            self._window, self._at, place = self._read(at, max(size, WINDOW)), at, 0
        return self._window[place : place + size]

    def take(self, at: int, size: int) -> bytes:
        """These bytes; raises `CutError` where the file ends before."""
        piece = self.some(at, size)
        if len(piece) < size:
            raise CutError(f"ends after {self.size:,} bytes, before its header does")
        return piece


@lru_cache(256)
def known(name: str, mode: str, channels: int, bits: int) -> PictureFormat:
    """The one record of this format."""
    return PictureFormat(name=name, mode=mode, channels=channels, bits=bits)


def sized(width: int, height: int) -> tuple[int, int]:
    """Both sides, if there is a pixel. Raises `FormatError`."""
    if width < 1 or height < 1:
        raise FormatError(f"declares {width} x {height} pixels")
    return width, height
