"""Where the files of DVC's outputs are: what stands in each place and what is recorded of it, before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.content import Wanted
from audit.facts.dvc import Dvc
from audit.facts.dvc_listing import Recorded, recorded_members
from audit.facts.dvc_tree import Blocked, Tree, rules_of, tree
from audit.facts.links import Lead, Links, below
from audit.formats.dvc.ignore import Rules
from audit.formats.dvc.output import Output
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Door, Entry, EntryType


class Presence(StrEnum):
    """What stands in the place of something recorded."""

    FILE = "file"
    FOLDER = "folder"
    MISSING = "missing"
    DANGLING = "dangling link"
    OUTSIDE = "link out of the project"
    OTHER = "special file"
    REMOTE = "elsewhere"
    IGNORED = "ignored by DVC"


class Place(NamedTuple):
    """What stands at a path: its kind, and where its bytes are once links are followed, under which stamp."""

    presence: Presence
    path: str = ""
    stamp: Stamp | None = None


class Site(NamedTuple):
    """Where an output is, and what lies below it if it is a folder."""

    output: Output
    place: Place
    tree: Tree | None = None


class Survey(NamedTuple):
    """An output's files by member ("" for an output that is a file): where each is, and how to read it.

    `special` says what stands where no file does; a link to a folder is nothing to
    DVC, and left out. `wanted` is by absolute path.
    """

    output: Output
    place: Place
    recorded: Recorded
    files: Mapping[str, str] = {}
    wanted: Mapping[str, Wanted] = {}
    special: Mapping[str, Presence] = {}
    blocked: tuple[Blocked, ...] = ()


class Surveyor(NamedTuple):
    """What every output of a project is found with."""

    ctx: Context
    dvc: Dvc
    links: Links
    rules: dict[str, Rules]

    @classmethod
    def of(cls, ctx: Context, dvc: Dvc, root: str) -> Surveyor:
        """The surveyor of the project in the folder `root`: links may lead into it, its repository and its cache."""
        return cls(ctx, dvc, Links(ctx.host, (root, dvc.root), ctx.host.resolve(dvc.config.cache.folder)), {})

    def find(self, output: Output) -> Site:
        """Find the output, and what lies below it."""
        place = self._place(output, output.location) if output.location else Place(Presence.REMOTE)
        found = _tree(self.ctx.host, self.dvc, place.path) if place.presence is Presence.FOLDER else None
        return Site(output, place, found)

    def members(self, site: Site) -> Iterator[str]:
        """The output's files by their paths in it, "" for an output that is a file."""
        if site.tree is None:
            yield from ("",) if site.place.presence is Presence.FILE else ()
            return
        for member, entry in site.tree.entries.items():
            is_file = entry.type is EntryType.FILE
            if is_file or self._seen(f"{site.place.path}/{member}", entry).presence is Presence.FILE:
                yield member

    def survey(self, site: Site) -> Survey:
        """Where each of the output's files is, and what is recorded of it."""
        output, place = site.output, site.place
        recorded = recorded_members(self.ctx, self.dvc, output)
        if site.tree is not None:
            return self._folder(output, place, recorded, site.tree)
        if place.presence is not Presence.FILE:
            return Survey(output, place, recorded)
        wish = Wanted(_algorithm(output), (recorded.members or {}).get("", ""), place.stamp)
        return Survey(output, place, recorded, {"": place.path}, {place.path: wish})

    def _folder(self, output: Output, place: Place, recorded: Recorded, found: Tree) -> Survey:
        algorithm, members = _algorithm(output), recorded.members or {}
        files: dict[str, str] = {}
        wanted: dict[str, Wanted] = {}
        special: dict[str, Presence] = {}
        for member, entry in found.entries.items():
            path, stamp = f"{place.path}/{member}", entry.stamp
            if entry.type is not EntryType.FILE:
                there = self._seen(path, entry)
                if there.presence is not Presence.FILE or there.stamp is None:
                    special |= {} if there.presence is Presence.FOLDER else {member: there.presence}
                    continue
                path, stamp = there.path, there.stamp
            files[member] = path
            wanted[path] = Wanted(algorithm, members.get(member, ""), stamp)
        return Survey(output, place, recorded, files, wanted, special, found.blocked)

    def _place(self, output: Output, path: str) -> Place:
        if not output.external and self.links.leads_out(path):
            return Place(Presence.OUTSIDE, path)
        entry = self.ctx.host.look(path)
        place = self._seen(path, entry) if entry else Place(Presence.MISSING, path)
        return Place(Presence.IGNORED, path) if entry and self._ignored(path, place) else place

    def _ignored(self, path: str, place: Place) -> bool:
        """Whether `.dvcignore` leaves out an output itself; one that cannot be read is told of where DVC files are."""
        folder, _, name = path.rpartition("/")
        if below(self.dvc.root, folder) is None:
            return False
        if folder not in self.rules:
            with suppress(CannotLook, FormatError):
                self.rules[folder] = rules_of(self.ctx.host, self.dvc.root, folder)
        rules = self.rules.get(folder)
        return rules is not None and rules.leaves_out(name, is_dir=place.presence is Presence.FOLDER)

    def _seen(self, path: str, entry: Entry) -> Place:
        """What an entry stands for, once a link is followed to its end."""
        if entry.type is not EntryType.LINK:
            return Place(_PRESENCE[entry.type], path, entry.stamp)
        end = self.links.at(path)
        if end.lead is Lead.OUTSIDE:
            return Place(Presence.OUTSIDE, end.path)
        return (
            Place(_PRESENCE[end.entry.type], end.path, end.entry.stamp)
            if end.entry
            else Place(Presence.DANGLING, end.path)
        )


_PRESENCE = {
    EntryType.FILE: Presence.FILE,
    EntryType.FOLDER: Presence.FOLDER,
    EntryType.LINK: Presence.DANGLING,
    EntryType.OTHER: Presence.OTHER,
}


def _algorithm(output: Output) -> str:
    return output.digest.algorithm if output.digest else "md5"


def _tree(host: Door, dvc: Dvc, folder: str) -> Tree:
    try:
        rules = rules_of(host, dvc.root, folder if below(dvc.root, folder) is not None else dvc.root)
    except (CannotLook, FormatError) as error:
        return Tree({}, (Blocked("", str(error)),))
    return tree(host, dvc.root, folder, rules)
