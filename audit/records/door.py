"""The door to the outside, as facts see it: files, processes, git, environment, clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

import msgspec

from audit.records.digests import Stamp


class EntryType(StrEnum):
    """What a name in a folder stands for; a link is never followed to find out."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One name in a folder; `executable` is its owner's right to execute it, the one that Git records."""

    name: str
    type: EntryType
    stamp: Stamp
    executable: bool = False


class Peek(NamedTuple):
    """A piece of a regular file, and the size of the whole in bytes."""

    data: bytes
    size: int


class Completed(NamedTuple):
    """A process that ended by itself; one that did not raises `CannotLook`."""

    code: int
    out: bytes
    err: bytes


class Door(Protocol):
    """Paths are absolute. An `OSError` becomes `CannotLook`, except where "not there" is an answer."""

    def look(self, path: str) -> Entry | None:
        """What is at the path itself (links not followed); None if nothing."""

    def scan(self, folder: str) -> list[Entry]:
        """A folder's entries, sorted by name."""

    def read(self, path: str, limit: int) -> bytes:
        """A regular file of at most `limit` bytes."""

    def peek(self, path: str, size: int, offset: int = 0) -> Peek:
        """Up to `size` bytes of a regular file from `offset` on, fewer where it ends before, and how large it is."""

    def scratch(self) -> str:
        """A private folder for what is needed while the audit runs; made when first asked for, removed at its end."""

    def target(self, link: str) -> str:
        """The text of a symbolic link."""

    def resolve(self, path: str) -> str:
        """The path with every link followed, as far as it exists."""

    def run(
        self,
        args: Sequence[str],
        *,
        cwd: str,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> Completed:
        """A process without a terminal; killed with its children after `timeout_s`."""

    def git(self, folder: str, *args: str, timeout_s: float = 60, stdin: bytes = b"") -> Completed:
        """Git plumbing in that folder with everything switched off that could run the project's code."""

    def watched(self, tick: Callable[[], None]) -> Door:
        """The same door; `tick` is called often while a program runs behind it, and may raise to end it."""

    def variable(self, name: str) -> str | None:
        """An environment variable of the audit."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def name(self) -> str:
        """The machine's host name."""
