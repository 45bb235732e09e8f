"""The section `environment` of `audit.lock`: the fingerprint of the environment that the project runs in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.facts.environment.fingerprint import Fingerprint
from audit.formats.fingerprint import write
from audit.records.context import Context
from audit.records.section import Section

OWN = ("code", "data")
"""What a lock that is committed says already, or cannot say of its own commit."""


class Environment(Section):
    """The fingerprint without code and data. Raises what `Fingerprint` does."""

    def collect(self, ctx: Context) -> Mapping[str, Any]:
        """Ask interpreter, records, driver and frameworks."""
        environment = self.project.environment
        asked = Fingerprint(root=self.project.root, environment=environment, imports=environment.import_frameworks)
        return write({name: fields for name, fields in ctx.get(asked).items() if name not in OWN})

    def is_due(self) -> bool:
        """Only when it is named: what one machine is, is no record of the project until somebody says so."""
        return False
