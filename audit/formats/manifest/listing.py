"""What every form of manifest comes down to: lines that name a file and its digest, and lines that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from audit.errors import FormatError

LIMIT = 2**28
"""Bytes of one manifest: some three million files."""

HEX_DIGITS: Mapping[str, int] = {"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128, "blake3": 64}
"""The algorithms that are understood, and how many digits their digests have."""

_NAME_MAX, _PATH_MAX = 255, 4096
"""Bytes of a name and of a path that Linux takes (limits.h)."""

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_DRIVE = re.compile(r"[A-Za-z]:")
_SLASHES = re.compile(r"[/\\]")


class Line(NamedTuple):
    """A listed file. `number` counts from 1, `size` is in bytes where the form tells it."""

    number: int
    path: str
    algorithm: str
    hex: str
    size: int | None = None


class Bad(NamedTuple):
    """A line that could not be understood, and why."""

    number: int
    reason: str


class Listing(NamedTuple):
    """The lines of a manifest in their order."""

    lines: tuple[Line, ...]
    bad: tuple[Bad, ...] = ()


def listing(read: list[Line | Bad]) -> Listing:
    """Part the lines that were understood from those that were not."""
    lines = tuple(line for line in read if isinstance(line, Line))
    return Listing(lines, tuple(line for line in read if isinstance(line, Bad)))


def content(data: bytes, name: str) -> bytes:
    """Take off a byte order mark; `FormatError` for text in UTF-16."""
    if data.startswith(_WIDE):
        raise FormatError("UTF-16 text", where=name, hint="save the manifest as UTF-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def numbered(data: bytes, end: bytes = b"\n") -> Iterator[tuple[int, bytes]]:
    """Number the rows that are not empty; empty ones, of which a file can hold 2**28, cost nothing."""
    number, before = 1, 0
    for found in re.finditer(rb"[^%b]+" % end, data):
        number += data.count(end, before, found.start())
        before = found.start()
        yield number, found[0]


def digest(algorithm: str, digits: str) -> str:
    """Take a digest in lower case; `FormatError` if it has not as many digits as its algorithm."""
    if len(digits) != HEX_DIGITS[algorithm]:
        raise FormatError(f"{len(digits)} hex digits, where {algorithm} has {HEX_DIGITS[algorithm]}")
    return digits.lower()


def tidy(path: str) -> str:
    """Drop what `find` and shells put before names (`./`) and doubled slashes; an absolute path stays one."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def unsafe_reason(path: str) -> str:
    """Say why a listed path must not be opened; empty if it may.

    A backslash is a letter of a name here, but on other systems it parts names, so a
    path is judged in both readings.
    """
    if not path or "\0" in path or _too_long(path):
        return "is no file name"
    if path.startswith(("/", "\\")):
        return "is absolute"
    if _DRIVE.match(path):
        return "names a drive"
    return "leads out of its folder" if ".." in _SLASHES.split(path) else ""


def _too_long(path: str) -> bool:
    if len(path) * 4 <= _NAME_MAX:  # no letter has more than four bytes
        return False
    raw = path.encode("utf-8", "surrogateescape")
    return len(raw) >= _PATH_MAX or max(map(len, raw.split(b"/"))) > _NAME_MAX
