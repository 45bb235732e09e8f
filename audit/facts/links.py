"""Links: where they lead, and whether that is a place which may be looked at."""

from __future__ import annotations

import posixpath
import re
from enum import StrEnum
from typing import NamedTuple

from audit.errors import CannotLook
from audit.records.door import Door, Entry, EntryType

_OBJECT = re.compile(r"(?:files/[a-z0-9-]+/)?[0-9a-f]{2}/[0-9a-f]{30,62}")
"""A file in DVC's cache: https://dvc.org/doc/user-guide/project-structure/internal-files#structure-of-the-cache-directory."""


class Lead(StrEnum):
    """What became of following a link."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    NOWHERE = "nowhere"


class Target(NamedTuple):
    """The end of a link: its path without links, and what is there.

    `entry` is None unless it is inside, so that nobody goes on from elsewhere by
    oversight; `kind` says what is there in any case, None if nothing.
    """

    lead: Lead
    path: str
    entry: Entry | None
    kind: EntryType | None = None


class Links:
    """Follows links that stay within `homes`, or lead to an object of the DVC cache at `cache`.

    All paths are absolute and without links themselves. Of a cache only what is named
    as an object counts: the project says where it is, and could say `/`. Tens of
    thousands of links into one cache share their folders, so a folder's real path is
    found once.
    """

    def __init__(self, host: Door, homes: tuple[str, ...], cache: str | None = None) -> None:
        self._host, self._homes, self._cache = host, homes, cache
        self._folders: dict[str, str] = {}

    def follow(self, folder: str, name: str) -> Target:
        """The end of the link `name` in `folder`, an absolute path without links."""
        path, entry = self._end(folder, self._host.target(f"{folder}/{name}"))
        if entry and entry.type is EntryType.LINK:  # a link still: one of a circle
            entry = None
        kind = entry.type if entry else None
        if not self._inside(path):
            return Target(Lead.OUTSIDE, path, None, kind)
        return Target(Lead.INSIDE if entry else Lead.NOWHERE, path, entry, kind)

    def at(self, path: str) -> Target:
        """The end of the link at an absolute path, whose folder may have links in it."""
        folder, _, name = path.rpartition("/")
        return self.follow(self._real(folder), name)

    def leads_out(self, path: str) -> bool:
        """Whether the folder of an absolute path is, along its links, elsewhere: what it holds is not to be read."""
        return not self._inside(self._real(path.rpartition("/")[0]))

    def _inside(self, path: str) -> bool:
        if any(below(home, path) is not None for home in self._homes):
            return True
        name = below(self._cache, path) if self._cache else None
        return name is not None and _OBJECT.fullmatch(name) is not None

    def _end(self, folder: str, text: str) -> tuple[str, Entry | None]:
        said = posixpath.join(folder, text)
        above, _, last = said.rpartition("/")
        if last not in {"", ".", ".."}:
            path = f"{self._real(above).rstrip('/')}/{last}"
            entry = self._host.look(path)
            if entry is None or entry.type is not EntryType.LINK:
                return path, entry
        path = self._host.resolve(said)
        return path, self._host.look(path)

    def _real(self, folder: str) -> str:
        """The folder without links: its parent's, known from its neighbours, and one look."""
        if folder not in self._folders:
            self._folders[folder] = self._looked_up(folder)
        return self._folders[folder]

    def _looked_up(self, folder: str) -> str:
        above, _, name = folder.rpartition("/")
        if name in {"", ".", ".."}:
            return self._host.resolve(folder or "/")
        path = f"{self._real(above).rstrip('/')}/{name}"
        try:
            entry = self._host.look(path)
        except CannotLook:  # behind a circle of links, or a folder that is barred
            return self._host.resolve(folder)
        return self._host.resolve(folder) if entry and entry.type is EntryType.LINK else path


def typed(root: str, path: str) -> str:
    """An absolute path as one types it in the folder `root`: relative to it where that is shorter.

    So a store beside the project is called the same wherever both are moved to, and one
    elsewhere on the machine wherever the project is moved to.
    """
    return min(posixpath.relpath(path, root), path, key=len)


def below(folder: str, path: str) -> str | None:
    """The path relative to a folder that it is in, "" for the folder itself; None if it is elsewhere."""
    if path == folder:
        return ""
    head = f"{folder.rstrip('/')}/"
    return path.removeprefix(head) if path.startswith(head) else None
