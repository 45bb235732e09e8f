"""The environment that `audit.lock` records."""

from __future__ import annotations

from collections.abc import Mapping

from audit.facts.lock import LockFile
from audit.formats import lock
from audit.formats.fingerprint import read
from audit.records.check import Request
from audit.records.context import Context
from audit.records.findings import Scalar


class RecordedEnvironment(Request[Mapping[str, Mapping[str, Scalar]]]):
    """The fingerprint in the lock of the project at `root`, by section; empty if there is none.

    Raises `FormatError` for a lock that is none.
    """

    root: str

    def collect(self, ctx: Context) -> Mapping[str, Mapping[str, Scalar]]:
        """The section `environment`."""
        sections = ctx.get(LockFile(root=self.root)) or {}
        return read(sections["environment"], lock.FILE) if "environment" in sections else {}
