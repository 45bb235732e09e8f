"""docs/audit.schema.json: what may stand in a rule file, with the parameters of every check that is built in."""

from __future__ import annotations

import json
from pathlib import Path

from audit.catalog import built_in
from audit.config.schema import schema

SCHEMA = "docs/audit.schema.json"
ADDRESS = "https://reproaudit.readthedocs.io/en/stable/audit.schema.json"


def pages(_: Path) -> dict[str, bytes]:
    """The schema as `audit schema` prints it where no plugin is installed, and its address."""
    made = schema(built_in())
    made = {"$schema": made["$schema"], "$id": ADDRESS, **made}
    return {SCHEMA: f"{json.dumps(made, indent=2, ensure_ascii=False)}\n".encode()}
