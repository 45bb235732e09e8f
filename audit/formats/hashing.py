"""Incremental hashers by the name of their algorithm.

`md5-dos2unix` is how DVC before 3.0 digested text: MD5 after every CR LF became LF.
DVC does so block by block of 1 MiB, and decides for each block by itself whether it
is text, so a CR LF on the border of two blocks stays, and one file may be text here
and binary there. A digest that was recorded that way only comes out again that way.

Sources: dvc-data 3.18, `dvc_data/hashfile/hash.py` and `istextfile.py`; held against
them by tests/formats/test_hashing.py.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Protocol

from audit.errors import FormatError

DOS2UNIX = "md5-dos2unix"

ALGORITHMS = ("md5", DOS2UNIX, "sha1", "sha256", "sha512", "blake3")
"""The names that `maker` knows."""

DOS2UNIX_BLOCK = 1 << 20
"""Bytes that DVC turns from CR LF to LF at a time."""

_LOOKED_AT = 512
_TEXT = bytes(range(32, 127)) + b"\n\r\t\f\b"
_MOST_NON_TEXT = 0.30

Bytes = bytes | bytearray | memoryview


class Hasher(Protocol):
    """What all hashers have in common."""

    def update(self, data: Bytes, /) -> object:
        """Feed the next bytes; large ones are digested without holding up other threads."""

    def hexdigest(self) -> str:
        """The digest of all bytes so far, in lower-case hex."""


@functools.cache
def maker(algorithm: str) -> Callable[[], Hasher]:
    """What makes new hashers of that name. Raises `FormatError` if nothing does."""
    if algorithm == DOS2UNIX:
        return Dos2Unix
    if algorithm == "blake3":
        from blake3 import blake3

        return blake3
    if algorithm not in ALGORITHMS:
        raise FormatError(f"unknown digest algorithm {algorithm!r}", hint=f"known are {', '.join(ALGORITHMS)}")
    return functools.partial(getattr(hashlib, algorithm), usedforsecurity=False)  # FIPS modes allow MD5 for checksums


def is_text(block: bytes | bytearray) -> bool:
    """Whether DVC takes a block for text, by its first 512 bytes: no NUL, at most 30 % unprintable."""
    head = block[:_LOOKED_AT]
    return not head or (b"\0" not in head and len(head.translate(None, _TEXT)) / len(head) <= _MOST_NON_TEXT)


class Dos2Unix:
    """MD5 with DVC 2's text normalisation, whatever the sizes of the pieces that it is fed."""

    def __init__(self) -> None:
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._block = bytearray()

    def update(self, data: Bytes, /) -> None:
        """Fill up blocks; whole ones are digested."""
        rest = memoryview(data)
        while rest:
            room = DOS2UNIX_BLOCK - len(self._block)
            self._block += rest[:room]
            rest = rest[room:]
            if len(self._block) == DOS2UNIX_BLOCK:
                self._md5.update(_normal(self._block))
                self._block.clear()

    def hexdigest(self) -> str:
        """The digest as if the data ended here."""
        ended = self._md5.copy()
        ended.update(_normal(self._block))
        return ended.hexdigest()


def _normal(block: bytearray) -> bytearray:
    return block.replace(b"\r\n", b"\n") if is_text(block) else block
