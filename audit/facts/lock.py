"""`audit.lock` as it stands in the project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.formats import lock, lock_data
from audit.formats.lock_data import LockedDataset
from audit.records.check import Request
from audit.records.context import Context


class LockFile(Request[Mapping[str, Any] | None]):
    """The sections of the lock of the project at `root` (absolute), by name; None if there is no lock.

    Raises `FormatError` for a file that is none, `CannotLook` for one that cannot be read.
    """

    root: str

    def collect(self, ctx: Context) -> Mapping[str, Any] | None:
        """Read the file; a link is refused."""
        path = f"{self.root}/{lock.FILE}"
        return lock.parse(ctx.host.read(path, lock.LIMIT)) if ctx.host.look(path) else None


class LockedData(Request[Mapping[str, LockedDataset]]):
    """The datasets in the lock of the project at `root`, by name; empty if there is no lock, or none in it."""

    root: str

    def collect(self, ctx: Context) -> Mapping[str, LockedDataset]:
        """The section `data`."""
        sections = ctx.get(LockFile(root=self.root)) or {}
        return lock_data.read(sections.get(lock_data.SECTION, {}))
