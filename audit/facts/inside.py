"""Where a path that somebody listed leads to, along links that stay within known folders."""

from __future__ import annotations

from audit.facts.links import Lead, Links, Target
from audit.records.door import Door, EntryType


class Inside:
    """Finds paths below `root`, an absolute folder without links; a listed path may go through linked folders.

    Tens of thousands of paths share their folders, so a folder is followed once.
    """

    def __init__(self, host: Door, root: str, homes: tuple[str, ...] = ()) -> None:
        self.root = root
        self._host = host
        self._links = Links(host, (root, *homes))
        self._folders = {"": Target(Lead.INSIDE, root, host.look(root))}

    def find(self, path: str) -> Target:
        """The end of a path that is relative to the root and has no `..`; `entry` is None unless something is there."""
        above, _, name = path.rpartition("/")
        return self._step(self.folder(above), name)

    def folder(self, path: str) -> Target:
        """As `find`, for a path that many others go through; empty for the root itself."""
        unknown = []
        while path not in self._folders:
            unknown.append(path)
            path = path.rpartition("/")[0]
        for each in reversed(unknown):
            above, _, name = each.rpartition("/")
            self._folders[each] = self._step(self._folders[above], name)
        return self._folders[unknown[0]] if unknown else self._folders[path]

    def _step(self, folder: Target, name: str) -> Target:
        if folder.entry is None or folder.entry.type is not EntryType.FOLDER:
            return folder._replace(entry=None, lead=Lead.NOWHERE if folder.lead is Lead.INSIDE else folder.lead)
        path = f"{folder.path}/{name}"
        entry = self._host.look(path)
        if entry is not None and entry.type is EntryType.LINK:
            return self._links.follow(folder.path, name)
        return Target(Lead.INSIDE if entry else Lead.NOWHERE, path, entry)
