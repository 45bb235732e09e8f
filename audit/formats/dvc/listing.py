"""The listing of a folder: the JSON that DVC stores as `.dir` object, and the only record of its files.

Source: `dvc_data/hashfile/tree.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from audit.records.base import Record


class Line(NamedTuple):
    """One file of a folder: its path relative to it, and the MD5 of its content."""

    path: str
    hex: str


class Unsafe(Record):
    """A listed path that must not be opened, and why."""

    path: str
    reason: str


class Listing(Record):
    """A folder's files in the order of the listing; `unsafe` ones are in `unsafe` only."""

    lines: tuple[Line, ...]
    unsafe: tuple[Unsafe, ...] = ()
