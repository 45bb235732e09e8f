"""The listing of a folder: the JSON that DVC stores as `.dir` object, and the only record of its files.

A listing comes from outside, so its paths are judged before anything is opened:
absolute ones and those with `..`, empty or dot parts, NUL, a backslash or a drive
go to `unsafe`, and so does a path that is listed twice or as file and folder.

Source: `dvc_data/hashfile/tree.py`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping

import msgspec

from audit.errors import FormatError
from audit.records.base import Record

LIMIT = 2**30
"""Bytes of one listing: some ten million files."""

_HEX = re.compile(r"[0-9a-f]*")
_HEX_DIGITS = 32
_DOUBTS = ("\\", "//", "/./", "/../", "\0/", "/\0", "\0./", "\0../", "/.\0", "/..\0", "\0.\0", "\0..\0", "\0\0", ":")


class Line(msgspec.Struct, frozen=True, gc=False):
    """One file of a folder: its path relative to it, and the MD5 of its content.

    A cloud-versioned listing has further keys, which are passed over.
    """

    path: str = msgspec.field(name="relpath")
    hex: str = msgspec.field(name="md5")


class Unsafe(Record):
    """A listed path that must not be opened, and why."""

    path: str
    reason: str


class Listing(Record):
    """A folder's files in the order of the listing; `unsafe` ones are in `unsafe` only."""

    lines: tuple[Line, ...]
    unsafe: tuple[Unsafe, ...] = ()


_decode = msgspec.json.Decoder(tuple[Line, ...]).decode


def parse(data: bytes, name: str) -> Listing:
    """Read a listing; `FormatError` if it is none."""
    lines = _lines(data, name)
    digits = [line.hex for line in lines]
    if not (_HEX.fullmatch("".join(digits)) and set(map(len, digits)) <= {_HEX_DIGITS}):
        bad = next(line for line in lines if len(line.hex) != _HEX_DIGITS or not _HEX.fullmatch(line.hex))
        raise FormatError(f"{bad.hex[:64]!r} is no MD5 (of {bad.path[:256]!r})", where=name)
    return Listing(lines=lines) if _beyond_doubt([line.path for line in lines]) else of(lines)


def of(lines: Iterable[Line]) -> Listing:
    """Part what is safe to open from what is not."""
    safe: dict[str, Line] = {}
    unsafe = []
    for line in lines:
        if reason := "is listed twice" if line.path in safe else unsafe_reason(line.path):
            unsafe.append(Unsafe(path=line.path, reason=reason))
        else:
            safe[line.path] = line
    for path in sorted(_folders(safe) & safe.keys()):
        unsafe.append(Unsafe(path=path, reason="is listed as a file and as a folder"))
        del safe[path]
    return Listing(lines=tuple(safe.values()), unsafe=tuple(unsafe))


def unsafe_reason(path: str) -> str:
    """Say why a listed path must not be opened; empty if it may."""
    parts = path.split("/")
    if "\0" in path or not _is_name(path):
        return "is no file name"
    if path.startswith("/"):
        return "is absolute"
    if ".." in parts:
        return "leads out of its folder"
    if "\\" in path or path[1:2] == ":":
        return "has a backslash or a drive, which other systems read as a way out"
    return "has an empty part" if "" in parts or "." in parts else ""


def folder_md5(members: Mapping[str, str | None]) -> str:
    """Digest a folder as DVC does: MD5, without `.dir`, of the JSON of its files' paths and MD5s, sorted by path."""
    rows = [{"md5": md5, "relpath": path} if md5 else {"relpath": path} for path, md5 in sorted(members.items())]
    return hashlib.md5(json.dumps(rows, sort_keys=True).encode(), usedforsecurity=False).hexdigest()


def _lines(data: bytes, name: str) -> tuple[Line, ...]:
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        if b"\\ud" not in data.lower():
            raise FormatError(f"is no listing of a folder: {error}", where=name) from None
    return _with_surrogates(data, name)


def _with_surrogates(data: bytes, name: str) -> tuple[Line, ...]:
    r"""Read with Python's decoder, which lets `\udcff` through: so DVC writes a byte of a name that is no UTF-8."""
    try:
        return msgspec.convert(json.loads(data), tuple[Line, ...])
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is no listing of a folder: {error}", where=name) from None


def _beyond_doubt(paths: list[str]) -> bool:
    """Whether all paths are plainly safe: a few searches over all of them at once."""
    text = "\0" + "\0".join(paths) + "\0"
    if any(doubt in text for doubt in _DOUBTS) or text.count("\0") != len(paths) + 1 or not _is_name(text):
        return False
    known = set(paths)
    return len(known) == len(paths) and known.isdisjoint(_folders(paths))


def _folders(paths: Iterable[str]) -> set[str]:
    """List the folders that the paths imply."""
    found: set[str] = set()
    new = {path.rpartition("/")[0] for path in paths}
    while new := new - found - {""}:
        found |= new
        new = {path.rpartition("/")[0] for path in new}
    return found


def _is_name(text: str) -> bool:
    """Whether the system can spell it: all of Unicode, and escaped bytes."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
