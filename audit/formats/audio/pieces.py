"""A clip's bytes by their place, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from audit.errors import FormatError
from audit.records.audio import AudioFormat
from audit.records.signals import Fault

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
        return Pieces(self.some(place, WINDOW), self.size - place, lambda at, size: self._read(place + at, size))


@lru_cache(256)
def known(container: str, subtype: str, rate: int, channels: int, bits: int | None = None) -> AudioFormat:
    """The one record of this format. Raises what `audible` does."""
    audible(rate, channels)
    return AudioFormat(container=container, subtype=subtype, sample_rate_hz=rate, channels=channels, bits=bits)


def audible(rate: int, channels: int) -> None:
    """Raise `FormatError` where nothing could be heard at this rate, through so many channels."""
    if channels < 1 or rate < 1:
        raise FormatError(f"declares {channels} channels at {rate} Hz")


def used(declared: int | None, there: int) -> tuple[int, tuple[Fault, ...]]:
    """The bytes of sound, of those that are `there`, and what is wrong with them; None declares all of them."""
    if not declared and not there:
        return 0, (Fault(kind="empty", what="holds no sound"),)
    if declared is None:
        return there, ()
    if not declared:
        what = f"declares no sound, though {there} bytes follow: was it written to its end?"
        return 0, (Fault(kind="empty", what=what, expected=0, found=there),)
    return (declared, ()) if declared <= there else (there, (cut(declared, there),))


def cut(declared: int, there: int) -> Fault:
    """Fewer bytes of sound are there than declared."""
    what = f"is cut: {declared - there} of {declared} bytes of sound are missing"
    return Fault(kind="truncated", what=what, expected=declared, found=there)


def disagreeing(declared: int, held: int) -> Fault:
    """The header declares another number of samples than the data can hold; the data is believed."""
    what = f"declares {declared:,} samples of each channel, and holds {held:,}"
    return Fault(kind="length", what=what, expected=declared, found=held)
