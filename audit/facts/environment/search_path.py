"""Entries of `LD_LIBRARY_PATH` that hold libraries which frameworks bring with them."""

from __future__ import annotations

from audit.errors import CannotLook
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door, EntryType

OWN = ("libcudnn",)
"""What such libraries' names begin with."""


class LibraryPath(Request[tuple[str, ...]]):
    """Files in folders of `LD_LIBRARY_PATH` that the loader takes before those of an environment (ld.so(8))."""

    def collect(self, ctx: Context) -> tuple[str, ...]:
        """Look into each folder."""
        folders = (ctx.host.variable("LD_LIBRARY_PATH") or "").split(":")
        return tuple(path for folder in dict.fromkeys(folders) if folder for path in _held(ctx.host, folder))


def _held(host: Door, folder: str) -> list[str]:
    try:
        there = host.look(host.resolve(folder))
        entries = host.scan(folder) if there and there.type is EntryType.FOLDER else []
    except CannotLook:
        return []
    return [f"{folder}/{one.name}" for one in entries if one.name.startswith(OWN)][:1]
