"""What a table looks like now, and what the lock says it looked like."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.lock import LockFile
from audit.facts.processes.ask import ask
from audit.facts.tables.opened import TableSource
from audit.formats import lock_profiles
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.profile import TableProfile

_TIMEOUT_S = 12 * 3600


class TableProfiles(Request[TableProfile]):
    """The profile of the table `dataset` of the project at `root` (absolute).

    Raises `MissingExtra`, and `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> TableProfile:
        """Have a process do it."""
        if find_spec("polars") is None:
            raise MissingExtra("data", "polars, with which tables are read,")
        source = ctx.get(TableSource(root=self.root, dataset=self.dataset))
        (profile,) = ask(ctx.host, "table_profile", source, tuple[TableProfile], _TIMEOUT_S)
        return profile


class LockedProfiles(Request[Mapping[str, TableProfile]]):
    """The profiles in the lock of the project at `root`, by dataset; empty if there is no lock, or none in it.

    Raises `FormatError` for a section that makes no sense.
    """

    root: str

    def collect(self, ctx: Context) -> Mapping[str, TableProfile]:
        """The section `profiles`."""
        sections = ctx.get(LockFile(root=self.root)) or {}
        return lock_profiles.read(sections.get(lock_profiles.SECTION, {}))
