"""The section `profiles` of `audit.lock`: what the chosen tables look like."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from audit.errors import CannotLook, NotApplicable
from audit.facts.lock import LockFile
from audit.facts.tables.profile import TableProfiles
from audit.formats.keyed import SALT_BYTES
from audit.formats.lock_profiles import SECTION, salt_of, write
from audit.formats.withheld import withheld
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.section import Section
from audit.records.words import Kind


class Profiles(Section):
    """The profile of each table that has a role, or says `profile: true`, unless it says `profile: false`.

    What it says of values hangs on the dataset's `profile_values`. The salt of the lock
    stays, so that the same tables give the same section. Raises `CannotLook` unless all
    could be read.
    """

    def collect(self, ctx: Context) -> Mapping[str, Any]:
        """One table after another: each takes the memory it needs."""
        chosen = {dataset.name: dataset for dataset in self._chosen()}
        salt = _salt(ctx, self.project.root)
        profiles = {}
        for name, dataset in chosen.items():
            try:
                profile = ctx.get(TableProfiles(root=self.project.root, dataset=dataset))
            except NotApplicable:
                continue
            except CannotLook as error:
                raise _told(error, name) from error
            profiles[name] = withheld(profile, salt, values=dataset.profile_values)
        return write(profiles, salt) if profiles else {}

    def left_out(self) -> Iterator[str]:
        """All tables, where none is chosen or they cannot be read."""
        tables = [dataset for dataset in self.project.datasets if dataset.kind is Kind.TABLE]
        if tables and not any(self._chosen()):
            yield "no table has a role; `profile: true` in audit.yaml chooses one"
        elif tables and not _readable():
            yield "polars, with which tables are read, is not installed (pip install 'reproaudit[data]')"

    def is_due(self) -> bool:
        """Where there is a table to profile, and the library to read it."""
        return _readable() and any(self._chosen())

    def _chosen(self) -> Iterator[Dataset]:
        for dataset in self.project.datasets:
            wanted = dataset.role is not None if dataset.profile is None else dataset.profile
            if dataset.kind is Kind.TABLE and wanted:
                yield dataset


def _readable() -> bool:
    return find_spec("polars") is not None


def _salt(ctx: Context, root: str) -> str:
    recorded = ctx.get(LockFile(root=root)) or {}
    return salt_of(recorded.get(SECTION)) or secrets.token_hex(SALT_BYTES)


def _told(error: CannotLook, name: str) -> CannotLook:
    way = f"nothing was locked; `profile: false` leaves {name!r} out, `audit lock data` locks the rest"
    return CannotLook(error.what, where=error.where or name, hint=f"{error.hint}; {way}" if error.hint else way)
