r"""Git LFS pointers: the small text files that stand in a repository for large content.

Source: the Git LFS specification, version 1 (docs/spec.md and docs/extensions.md of
git-lfs), and `lfs/pointer.go` of git-lfs 3 for what it reads beyond the one canonical
encoding: older version lines, `\r\n`, and white space around the whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

POINTER_LIMIT = 1024
"""A pointer is smaller than this, in bytes, extension lines included."""

_VERSION = "https://git-lfs.github.com/spec/v1"
_VERSIONS = frozenset({_VERSION, "https://hawser.github.com/spec/v1", "http://git-media.io/v/2"})

_BEGINS = re.compile(rb"version (https://(git-lfs|hawser)\.github\.com/spec/|http://git-media\.io/v/)")
_SPEAKS_OF_LFS = re.compile(rb"^(version https://git-lfs\.github\.com/spec/|oid sha256:)", re.MULTILINE)
_CONFLICT = re.compile(rb"^(<{7}|\|{7}|={7}|>{7})( |\r?$)", re.MULTILINE)

_OID = re.compile(r"sha256:([0-9a-f]{64})")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_EXTENSION = re.compile(r"ext-[0-9]-[a-z0-9.-]+")
_MAX_SIZE = 2**63 - 1


class Pointer(NamedTuple):
    """What content a pointer stands for: its SHA-256, and its size in bytes.

    Where extensions changed the content before it was stored, `size` is None: the
    pointer then tells the size of what is stored, and only the digest of the
    original. A pointer that is not `canonical` is read by git-lfs, but would be
    written in other bytes.
    """

    oid: str
    size: int | None
    canonical: bool = True


class Malformed(NamedTuple):
    """Text that was a pointer once, or was meant to be one."""

    reason: str


class _WrongError(Exception):
    """The text breaks the grammar; never leaves this module."""


def read_pointer(data: bytes) -> Pointer | Malformed | None:
    """Read a whole small file; None for what is no pointer at all."""
    if len(data) >= POINTER_LIMIT or not _looks_like_one(data):
        return None
    if _CONFLICT.search(data):
        return Malformed("conflict markers")
    try:
        return _pointer(data.decode().strip(), data)
    except UnicodeDecodeError:
        return Malformed("not UTF-8")
    except _WrongError as error:
        return Malformed(str(error))


def pointer_size(data: bytes) -> tuple[bool, int | None]:
    """Tell whether a whole small file is a pointer, well formed or not, and the size it speaks of."""
    found = read_pointer(data)
    return found is not None, found.size if isinstance(found, Pointer) else None


def _looks_like_one(data: bytes) -> bool:
    start = data[:128].removeprefix(b"\xef\xbb\xbf").lstrip()
    if _BEGINS.match(start):
        return True
    return start.startswith(b"<<<<<<<") and bool(_SPEAKS_OF_LFS.search(data))


def _pointer(text: str, data: bytes) -> Pointer:
    """Read the lines in their one order: version, extensions, oid, size."""
    keys, values = _lines(text)
    extensions = keys[1:-2]
    if keys != ["version", *sorted(filter(_EXTENSION.fullmatch, extensions)), "oid", "size"]:
        raise _WrongError(f"its lines are {', '.join(keys)[:80]}, not version, oid, size")
    if values[0] not in _VERSIONS:
        raise _WrongError("unknown version")
    oids = [_oid(value) for value in values[1:-1]]
    size = _size(values[-1])
    canonical = values[0] == _VERSION and data == text.encode() + b"\n" and "\r" not in text
    return Pointer(oids[0], None if len(oids) > 1 else size, canonical)


def _lines(text: str) -> tuple[list[str], list[str]]:
    pairs = [line.removesuffix("\r").split(" ", 1) for line in text.split("\n")]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a key and a value
        raise _WrongError("a line that is not 'key value'")
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _oid(value: str) -> str:
    if not (found := _OID.fullmatch(value)):
        raise _WrongError("an oid that is not sha256: and 64 lower-case hex digits")
    return found[1]


def _size(value: str) -> int:
    if not _SIZE.fullmatch(value) or int(value) > _MAX_SIZE:
        raise _WrongError("a size that is no number of bytes")
    return int(value)
