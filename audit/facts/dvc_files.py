"""The DVC files that DVC itself would find: `.dvcignore` and Git's ignore files obeyed, nested repositories left alone.

Source: `collect_files` in `dvc/repo/index.py`, `DvcIgnoreFilter` in `dvc/ignore.py`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.dvc_ignored import GitIgnored
from audit.formats.dvc import ignore
from audit.formats.dvc.ignore import Rules
from audit.formats.dvc.place import inside
from audit.records.door import Door, Entry, EntryType

PIPELINE = "dvc.yaml"
LOCK = "dvc.lock"
SUFFIX = ".dvc"
DVC_FOLDER = ".dvc"


class File(NamedTuple):
    """A DVC file: its absolute path as DVC names it, and where its bytes are once links are followed.

    `lock` is where the bytes of the `dvc.lock` beside a `dvc.yaml` are, if there is one.
    """

    path: str
    target: str
    lock: str | None = None


class Trouble(NamedTuple):
    """A path that could not be looked at, and why."""

    path: str
    error: CannotLook | FormatError


class Nested(NamedTuple):
    """The folder of another DVC repository."""

    path: str


class Unseen(NamedTuple):
    """A DVC file that DVC does not see, since the ignore file called `by` names it."""

    path: str
    by: str


Found = File | Trouble | Nested | Unseen


class _Folder(NamedTuple):
    """A folder on the way: its path, its entries, and the rules in force in it."""

    path: str
    entries: tuple[Entry, ...]
    rules: Rules


class Walk:
    """A walk through the work tree of the repository at `root`, in the order of names.

    `tracked` says whether a path is an output of the DVC files found so far: DVC
    does not look for DVC files in its outputs. `alive` is called at each folder.
    """

    def __init__(
        self,
        host: Door,
        root: str,
        ignored: GitIgnored,
        *,
        tracked: Callable[[str], bool],
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self.host = host
        self.root = root
        self.ignored = ignored
        self.tracked = tracked
        self.alive = alive

    def to(self, folder: str) -> Iterator[Found]:
        """DVC files beside the way from the root to `folder`, then those in it and below it."""
        path, rules = self.root, Rules()
        for name in posixpath.relpath(folder, self.root).split("/") if folder != self.root else ():
            try:
                here = self._folder(path, rules)
            except (CannotLook, FormatError) as error:
                yield Trouble(path, error)
                return
            yield from self._files(here)
            path, rules = posixpath.join(path, name), here.rules.inside(name)
            if rules.lost or self.ignored.folder(path):
                return
        yield from self._below(path, rules)

    def _below(self, path: str, rules: Rules) -> Iterator[Found]:
        """Walk with a stack of its own: a project can be nested deeper than Python recurses."""
        waiting = [(path, rules)]
        while waiting:
            path, rules = waiting.pop()
            self.alive()
            try:
                here = self._folder(path, rules)
            except (CannotLook, FormatError) as error:
                yield Trouble(path, error)
                continue
            if path != self.root and any(entry.name == DVC_FOLDER for entry in here.entries):
                yield Nested(path)
                continue
            yield from self._files(here)
            waiting += reversed(list(self._folders(here)))

    def _folders(self, here: _Folder) -> Iterator[tuple[str, Rules]]:
        for entry in here.entries:
            if entry.type is EntryType.FOLDER and not here.rules.leaves_out(entry.name, is_dir=True):
                path = posixpath.join(here.path, entry.name)
                if not self.tracked(path) and not self.ignored.folder(path):
                    yield path, here.rules.inside(entry.name)

    def _folder(self, path: str, rules: Rules) -> _Folder:
        """List a folder and add its own `.dvcignore` to the rules."""
        entries = tuple(self.host.scan(path))
        own = next((entry for entry in entries if entry.name == ignore.FILE), None)
        if own and own.type is not EntryType.FOLDER:
            name = posixpath.join(path, ignore.FILE)
            rules = rules.read(
                self.host.read(self._target(name, own), ignore.LIMIT), posixpath.relpath(name, self.root)
            )
        return _Folder(path, entries, rules)

    def _files(self, here: _Folder) -> Iterator[Found]:
        for entry in here.entries:
            if entry.name == PIPELINE or entry.name.endswith(SUFFIX):
                path = posixpath.join(here.path, entry.name)
                if self._is_folder(path, entry):
                    continue
                by = self._ignored_by(here, entry.name)
                yield Unseen(path, by) if by else self._file(path, entry, here)
        names = {entry.name for entry in here.entries}
        if LOCK in names and PIPELINE not in names and not self._ignored_by(here, LOCK):
            error = CannotLook(f"has no {PIPELINE} beside it", hint=f"bring {PIPELINE} back, or remove the lock")
            yield Trouble(posixpath.join(here.path, LOCK), error)

    def _is_folder(self, path: str, entry: Entry) -> bool:
        """Whether it is a folder, or a link to one; to DVC neither is a file."""
        if entry.type is not EntryType.LINK:
            return entry.type is EntryType.FOLDER
        end = self.host.look(self.host.resolve(path))
        return end is not None and end.type is EntryType.FOLDER

    def _ignored_by(self, here: _Folder, name: str) -> str:
        """The ignore file that keeps a file from DVC; empty if none does."""
        if here.rules.leaves_out(name, is_dir=False):
            return ignore.FILE
        return ".gitignore" if self.ignored.file(posixpath.join(here.path, name)) else ""

    def _file(self, path: str, entry: Entry, here: _Folder) -> File | Trouble:
        try:
            return File(path, self._target(path, entry), self._lock(here) if entry.name == PIPELINE else None)
        except CannotLook as error:
            return Trouble(path, error)

    def _lock(self, here: _Folder) -> str | None:
        path = posixpath.join(here.path, LOCK)
        if self.ignored.file(path):
            raise CannotLook("is ignored by Git, and so refused by DVC", where=path, hint="take it out of .gitignore")
        entry = next((entry for entry in here.entries if entry.name == LOCK), None)
        there = entry and not here.rules.leaves_out(LOCK, is_dir=False)
        return self._target(path, entry) if entry and there else None

    def _target(self, path: str, entry: Entry) -> str:
        """Follow a link as DVC does, unless it leads out of the repository."""
        if entry.type is not EntryType.LINK:
            return path
        target = self.host.resolve(path)
        if not inside(target, self.host.resolve(self.root)):
            raise CannotLook("is a link out of the repository", where=path, hint="put the file itself there")
        return target
