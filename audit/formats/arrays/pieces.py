"""The bytes of a file of arrays by their place, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable

from audit.errors import FormatError
from audit.records.signals import Fault

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

WINDOW = 4096
"""Bytes that are read at once beyond the head of a file."""


class BadError(FormatError):
    """What is wrong with the file, as a fault will tell it."""

    def __init__(self, kind: str, what: str, expected: int | None = None, found: int | None = None) -> None:
        super().__init__(what)
        self.fault = Fault(kind=kind, what=what, expected=expected, found=found)


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
        """These bytes; a file that ends before is `truncated`."""
        piece = self.some(at, size) if at + size <= self.size else b""
        if len(piece) < size:
            what = f"ends after {self.size:,} bytes, before its header does"
            raise BadError("truncated", what, at + size, self.size)
        return piece


def plain(name: str) -> str:
    """A name in characters that UTF-8 has: pickles and HDF5 may have others."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


def held_against(size: int, expected: int, made_of: str) -> tuple[Fault, ...]:
    """The fault of a file of `size` bytes that should have `expected`, which are `made_of` what."""
    if size == expected:
        return ()
    if size < expected:
        what = f"ends after {size:,} bytes: expected {made_of}, found {expected - size:,} fewer"
        return (Fault(kind="truncated", what=what, expected=expected, found=size),)
    what = f"has {size - expected:,} bytes behind its end: expected {made_of}"
    return (Fault(kind="trailing", what=what, expected=expected, found=size),)
