"""The ways in which a tracked path can differ from what is committed."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from audit.formats.git import IndexEntry


class Way(StrEnum):
    """How a tracked path differs; `undecidable` and `unreadable` are those that nobody could judge."""

    CHANGED = "changed"
    MISSING = "missing"
    MODE = "mode"
    STAGED = "staged"
    TYPE = "type"
    UNDECIDABLE = "undecidable"
    UNMERGED = "unmerged"
    UNREADABLE = "unreadable"
    UNSAFE = "unsafe-path"


class Difference(NamedTuple):
    """One tracked path that is not as committed; `flag` names the bit that hides it from `git status`."""

    path: str
    way: Way
    expected: str
    found: str
    flag: str = ""


def differs(entry: IndexEntry, way: Way, found: str) -> Difference:
    """The difference between an entry of the index and what was found."""
    return Difference(entry.path, way, f"{entry.mode} {entry.oid}", found, entry.flag or "")
