"""The bytes of a file by their place, for readers of headers: the head at once, the rest a window at a time."""

from __future__ import annotations

from collections.abc import Callable

from audit.errors import FormatError

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

    def some(self, at: int, size: int, window: int = WINDOW) -> bytes:
        """Up to `size` bytes from `at` on, fewer where the file ends before; at least `window` are read at once."""
        if at + size <= len(self._head):
            return self._head[at : at + size]
        place = at - self._at
        if place < 0 or place + size > len(self._window):
            if at >= self.size:
                return b""
            self._window, self._at, place = self._read(at, max(size, window)), at, 0
        return self._window[place : place + size]

    def take(self, at: int, size: int) -> bytes:
        """These bytes; raises `CutError` where the file ends before."""
        piece = self.some(at, size)
        if len(piece) < size:
            raise CutError(f"ends after {self.size:,} bytes, before its header does")
        return piece

    def tail(self, size: int) -> tuple[bytes, int]:
        """The last `size` bytes, or all there are, and where they begin."""
        at = max(0, self.size - size)
        return self.some(at, self.size - at), at

    def behind(self, place: int) -> Pieces:
        """What begins at that place, as a file of its own."""
        return type(self)(self.some(place, WINDOW), self.size - place, lambda at, size: self._read(place + at, size))
