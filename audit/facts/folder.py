"""Everything that lies below a folder, whatever it is called: what bags and complete manifests are held against.

Unlike the files of a dataset (`dataset_walk`), names that begin with a dot count, and
no link to a folder is followed.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from audit.errors import Cancelled, CannotLook
from audit.facts.links import Links
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Entry, EntryType


class Leaf(NamedTuple):
    """A name that is no folder: its path below the folder, where its bytes are, and their stamp.

    `stamp` is None for what has no bytes to be read: a link to nothing or out of the
    project, a fifo, a socket, a device.
    """

    path: str
    location: str
    stamp: Stamp | None


class Blocked(NamedTuple):
    """A folder below that cannot be listed, and why."""

    path: str
    reason: str


class Below(NamedTuple):
    """What was found, sorted by path."""

    leaves: tuple[Leaf, ...]
    blocked: tuple[Blocked, ...]


def everything(ctx: Context, folder: str, homes: tuple[str, ...], leave_out: frozenset[str] = frozenset()) -> Below:
    """List what is below an absolute folder without links, but the names to `leave_out`.

    Links to files are followed within `homes`.
    """
    links = Links(ctx.host, homes)
    leaves: list[Leaf] = []
    blocked: list[Blocked] = []
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        if ctx.cancelled():
            raise Cancelled("interrupted while the files were listed")
        ctx.progress.advance(what=prefix)
        try:
            for entry in ctx.host.scan(posixpath.join(folder, prefix)):
                if entry.name in leave_out:
                    continue
                if entry.type is EntryType.FOLDER:
                    waiting.append(f"{prefix}{entry.name}/")
                else:
                    leaves.append(_leaf(links, folder, prefix, entry))
        except CannotLook as error:
            blocked.append(Blocked(prefix.rstrip("/"), error.what))
    return Below(tuple(sorted(leaves, key=_by_path)), tuple(sorted(blocked)))


def _leaf(links: Links, folder: str, prefix: str, entry: Entry) -> Leaf:
    above = posixpath.join(folder, prefix).rstrip("/")
    if entry.type is EntryType.LINK:
        end = links.follow(above, entry.name)
        return Leaf(f"{prefix}{entry.name}", end.path, _stamp(end.entry))
    return Leaf(f"{prefix}{entry.name}", f"{above}/{entry.name}", _stamp(entry))


def _stamp(entry: Entry | None) -> Stamp | None:
    return entry.stamp if entry and entry.type is EntryType.FILE else None


def _by_path(leaf: Leaf) -> str:
    return leaf.path
