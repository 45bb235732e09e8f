"""The walk over a tree as far as a pattern reaches, along links that may be followed."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import NamedTuple

from audit.errors import Cancelled, CannotLook
from audit.facts.links import Lead, Links
from audit.formats.glob import Pattern, Positions, Step
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Entry, EntryType
from audit.records.obstacle import Obstacle

_OF_GIT = {".git", ".gitignore", ".gitattributes", ".gitkeep", ".gitmodules"}
_OF_DVC = {".dvc", ".dvcignore", "dvc.yaml", "dvc.lock"}
RECORDS = frozenset(_OF_GIT | _OF_DVC | {".audit", "audit.yaml", "audit.lock"})
"""Names that DVC, Git and the audit keep beside data; so are those that end in `.dvc`."""

_ALL = Step(taken=True, named=True, positions=frozenset({0}))
_NOTHING = Step(taken=False, named=False, positions=frozenset())
_SPECIAL = "is a fifo, a socket or a device; it was not opened"


class File(NamedTuple):
    """A file: POSIX path relative to the project, absolute path of its bytes (links followed), stamp of these."""

    path: str
    location: str
    stamp: Stamp


class _Folder(NamedTuple):
    """A folder to enter: how the project calls it, where it really is, and what is wanted in it (None: all)."""

    path: str
    location: str
    positions: Positions | None


def walk(ctx: Context, root: str, pattern: Pattern, links: Links, *, hidden: bool) -> tuple[list[File], list[Obstacle]]:
    """What the pattern takes below `root`, in no order; `hidden` is whether dot names count in folders taken whole."""
    walker = _Walker(ctx, pattern, links, hidden=hidden)
    walker.waiting.append(_Folder("", root, None if pattern.names_all(pattern.start) else pattern.start))
    while walker.waiting:
        walker.enter(walker.waiting.pop())
    return walker.files, walker.obstacles


class _Walker:
    """The state of one walk. A folder is entered through a link at most once, so that links cannot multiply it."""

    def __init__(self, ctx: Context, pattern: Pattern, links: Links, *, hidden: bool) -> None:
        self._ctx, self._pattern, self._links, self._hidden = ctx, pattern, links, hidden
        self._entered: set[str] = set()
        self.waiting: list[_Folder] = []
        self.files: list[File] = []
        self.obstacles: list[Obstacle] = []

    def enter(self, folder: _Folder) -> None:
        """Take what is wanted in a folder, and queue the folders in it."""
        if self._ctx.cancelled():
            raise Cancelled("interrupted while the files were listed")
        self._ctx.progress.advance(what=folder.path)
        only = self._pattern.literal(folder.positions) if folder.positions else None
        try:
            self._name(folder, only) if only is not None else self._sift(folder)
        except CannotLook as error:
            self.obstacles.append(Obstacle(folder.path, error.what, error.hint))

    def _name(self, folder: _Folder, name: str) -> None:
        """The one name that the pattern says to the letter: no need to list the folder, be it a record or not."""
        entry = self._ctx.host.look(f"{folder.location}/{name}")
        step = self._step(folder, name)
        if entry and entry.type is not EntryType.FILE:
            self._other(folder, entry, step)
        elif entry and step.taken:
            self.files.append(File(posixpath.join(folder.path, name), f"{folder.location}/{name}", entry.stamp))

    def _sift(self, folder: _Folder) -> None:
        """All names in a folder: the loop over every file, so it does little."""
        takes, others, add = self._taker(folder), [], self.files.append
        prefix, above, is_file = f"{folder.path}/" if folder.path else "", f"{folder.location}/", EntryType.FILE
        for entry in self._ctx.host.scan(folder.location):
            name = entry.name
            if name in RECORDS or name[-4:] == ".dvc":
                continue
            if entry.type is not is_file:
                others.append(entry)
            elif takes is None or takes(name):
                add(File(prefix + name, above + name, entry.stamp))
        for entry in others:
            self._other(folder, entry, self._step(folder, entry.name))

    def _taker(self, folder: _Folder) -> Callable[[str], object] | None:
        """Which files are taken in the folder; None means all."""
        if folder.positions is None:
            return None if self._hidden else _shown
        part = self._pattern.files(folder.positions)
        return part.takes if part else _never

    def _step(self, folder: _Folder, name: str) -> Step:
        if folder.positions is not None:
            return self._pattern.step(folder.positions, name)
        return _ALL if self._hidden or _shown(name) else _NOTHING

    def _other(self, folder: _Folder, entry: Entry, step: Step) -> None:
        """A folder, a link, or something that is no data at all."""
        if not step.positions:
            return
        path = posixpath.join(folder.path, entry.name)
        place = _Folder(path, f"{folder.location}/{entry.name}", self._below(step))
        if entry.type is EntryType.FOLDER:
            self.waiting.append(place)
        elif entry.type is EntryType.LINK:
            try:
                self._follow(folder, place, step)
            except CannotLook as error:
                self.obstacles.append(Obstacle(path, error.what, error.hint))
        elif step.taken:
            self.obstacles.append(Obstacle(path, _SPECIAL))

    def _follow(self, folder: _Folder, link: _Folder, step: Step) -> None:
        """Where a link leads: only a folder matters if the pattern passes by its name."""
        target = self._links.follow(folder.location, posixpath.basename(link.location))
        if target.lead is Lead.INSIDE and target.kind is EntryType.FOLDER:
            self._through(folder, link._replace(location=target.path))
        elif target.entry and target.kind is EntryType.FILE:
            if step.taken:
                self.files.append(File(link.path, target.path, target.entry.stamp))
        elif step.named or target.kind is EntryType.FOLDER:
            self.obstacles.append(_lost(link.path, target.lead))

    def _through(self, folder: _Folder, place: _Folder) -> None:
        """Into a folder by a link, if that neither turns in a circle nor takes the same folder twice."""
        if f"{folder.location}/".startswith(f"{place.location.rstrip('/')}/"):
            self.obstacles.append(Obstacle(place.path, "is a link to a folder above it", "remove it"))
        elif place.location in self._entered:
            self.obstacles.append(
                Obstacle(place.path, "is a second link to the same folder; it was followed once", "remove one of them")
            )
        else:
            self._entered.add(place.location)
            self.waiting.append(place)

    def _below(self, step: Step) -> Positions | None:
        return None if step is _ALL or self._pattern.names_all(step.positions) else step.positions


def _lost(path: str, lead: Lead) -> Obstacle:
    if lead is Lead.OUTSIDE:
        what = "is a link that leaves the project; it was not followed"
        return Obstacle(path, what, "keep the data in the project or in DVC's cache")
    if lead is Lead.NOWHERE:
        return Obstacle(path, "is a link to nothing", "bring back what it points to, or remove it", gone=True)
    return Obstacle(path, _SPECIAL)


def _shown(name: str) -> bool:
    return name[0] != "."


def _never(_: str) -> bool:
    return False
