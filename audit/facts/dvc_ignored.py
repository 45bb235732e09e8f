"""What Git ignores below a folder: DVC passes over DVC files there."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from audit.errors import CannotLook
from audit.records.door import Door

_ASK = ("ls-files", "-z", "--cached", "--others", "--ignored", "--exclude-standard", "--directory")


class GitIgnored(NamedTuple):
    """Absolute paths of the files that match Git's ignore patterns, and of the folders that do as a whole."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def file(self, path: str) -> bool:
        """Whether Git ignores the file (its folders not asked)."""
        return path in self.files

    def folder(self, path: str) -> bool:
        """Whether Git ignores the folder and all in it."""
        return path in self.folders


def ask(host: Door, folder: str) -> GitIgnored:
    """What Git ignores in the folder; nothing where Git has no say: then more is looked at, not less."""
    try:
        answer = host.git(folder, *_ASK)
    except CannotLook:
        return GitIgnored()
    if answer.code:
        return GitIgnored()
    names = [posixpath.join(folder, name) for name in answer.out.decode("utf-8", "surrogateescape").split("\0") if name]
    files = frozenset(name for name in names if not name.endswith("/"))
    return GitIgnored(files, frozenset(name[:-1] for name in names if name.endswith("/")))
