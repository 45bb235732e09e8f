"""Seals: a folder that was found as recorded, under exactly these stamps, is not compared file by file again.

A seal is a digest over the folder's place, what was recorded of it, and the name and
stamp of every file in it. It is trusted as long as each of these stamps would be:
nothing has moved since every file was read, or was trusted because of its own stamp.
"""

from __future__ import annotations

import os

import msgspec

from audit.facts.content import GRAIN_S
from audit.facts.dvc_survey import Site
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import EntryType

_encode = msgspec.msgpack.Encoder().encode


class Seals:
    """The seals of one project during one audit."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._settled_ns = int((ctx.host.now().timestamp() - GRAIN_S) * 1e9)

    def hold(self, site: Site) -> bool:
        """Whether nothing has moved since the folder was found as recorded; counts its files as trusted."""
        seal = "" if self._ctx.deep else seal_of(site)
        if not seal or site.tree is None or not self._ctx.digests.sealed(seal):
            return False
        entries = site.tree.entries.values()
        self._ctx.progress.trusted(files=len(entries), size=sum(entry.stamp.size for entry in entries))
        return True

    def put(self, site: Site) -> None:
        """Seal a folder that was just found as recorded, unless a later change could leave the same stamps."""
        seal = seal_of(site)
        if seal and site.tree and all(self._settled(entry.stamp) for entry in site.tree.entries.values()):
            self._ctx.digests.seal(seal)

    def _settled(self, stamp: Stamp) -> bool:
        return stamp.mtime_ns < self._settled_ns and stamp.ctime_ns < self._settled_ns


def seal_of(site: Site) -> str:
    """The seal of a folder as it is now; empty for one that must be looked at file by file in any case."""
    output, found = site.output, site.tree
    if found is None or found.blocked or not output.is_dir or output.digest is None or output.digest.algorithm != "md5":
        return ""
    rows = [(member, entry.stamp) for member, entry in found.entries.items() if entry.type is EntryType.FILE]
    if len(rows) != len(found.entries) or not "".join(found.entries).isascii():
        return ""  # links may lead elsewhere tomorrow, and names that are equal after NFC are told each time
    from blake3 import blake3

    return blake3(_encode((os.fsencode(site.place.path), output.oid, rows))).hexdigest()
