"""Digests, what was seen of a file, and what the state remembers of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from audit.records.base import Record
from audit.records.words import Change


class Digest(Record, gc=False):
    """A digest always carries its algorithm: `md5`, `md5-dos2unix`, `sha256`, `blake3`, ..."""

    algorithm: str
    hex: str

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.hex}"


class Stamp(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the filesystem says of a file: while it stays, a remembered digest is trusted.

    There is one for each file, so it is made for speed: out of the sight of the
    garbage collector, as is all else that is made by the thousand.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file's digest as it was computed under a stamp; `blake3` may be empty.

    `settled` is false where the file had been touched so shortly before it was read
    that another change could have left the same times: such a digest is not trusted.
    `change` is how the file had come to differ from its record by then, if it did.
    """

    stamp: Stamp
    algorithm: str
    hex: str
    blake3: str = ""
    settled: bool = True
    change: Change | None = None


class Digests(Protocol):
    """The door to the state store: what this machine has read before.

    A folder's absolute path is where its files' digests are kept together, so that
    a folder of 50,000 files is one row to load.
    """

    def recall(self, folder: str, algorithm: str) -> Mapping[str, Seen]:
        """What was seen in a folder and digested so, by file name; empty if nothing."""

    def remember(self, folder: str, seen: Mapping[str, Seen]) -> None:
        """Keep what was just read, beside what is already known of the folder's other files."""

    def blake3_of(self, recorded: Digest) -> str | None:
        """The BLAKE3 that this machine computed of the content with that digest."""

    def sealed(self, seal: str) -> bool:
        """Whether a folder with that seal was found as recorded."""

    def seal(self, seal: str) -> None:
        """Remember that a folder with that seal is as recorded."""

    def learn(self, pairs: Mapping[Digest, str]) -> None:
        """Remember which BLAKE3 goes with which digest: facts about content. What was learned first stays."""
