"""The JSON Schema of rule files, from the same types that the loader converts to; so editors complete and check them.

What refers to something else is the loader's alone: files and packs that are
extended, datasets and rules by their names, ids that stand twice, parameters that
one file leaves to another, the kind that `where` needs, and what a check demands of
several parameters together.

Source: https://json-schema.org/draft/2020-12, and `enumDescriptions` of the JSON
and YAML language servers, which validators pass over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from audit.catalog import load_check, summary
from audit.config.model import RuleFile
from audit.config.packs import PATH, shipped

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(checks: Iterable[str]) -> dict[str, Any]:
    """The schema of a rule file whose rules may name these checks."""
    names = sorted(checks)
    parts = _parts(RuleFile, "#/$defs/{name}")
    root = parts.pop("RuleFile")
    root["properties"]["extends"]["items"] = {
        "anyOf": [{"enum": sorted(shipped())}, {"type": "string", "pattern": PATH}]
    }
    _name_checks(parts["RuleEntry"], names)
    return {
        "$schema": DIALECT,
        "title": "audit.yaml",
        **root,
        "$defs": parts | {name: _with(name) for name in names},
    }


def _parts(shape: type, template: str) -> dict[str, Any]:
    """The schemas of a record and of all that is in it, by their names."""
    _, parts = msgspec.json.schema_components([shape], ref_template=template)
    return {name: _cleaned(part) for name, part in parts.items()}


def _cleaned(part: Any) -> Any:
    """Without the names of our classes, and without a demand that items differ, which the loader does not make."""
    if isinstance(part, dict):
        return {name: _cleaned(value) for name, value in part.items() if not _noise(name, value)}
    return [_cleaned(item) for item in part] if isinstance(part, list) else part


def _noise(name: str, value: Any) -> bool:
    return (name == "title" and isinstance(value, str)) or (name == "uniqueItems" and value is True)


def _name_checks(rule: dict[str, Any], names: list[str]) -> None:
    """Offer the checks, and hold `with` against the one that a rule names."""
    said = rule["properties"]["check"]["description"]
    rule["properties"]["check"] = {
        "description": said,
        "enum": names,
        "enumDescriptions": [summary(name) for name in names],
    }
    rule["allOf"] = [
        {
            "if": {"properties": {"check": {"const": name}}, "required": ["check"]},
            "then": {"properties": {"with": {"$ref": f"#/$defs/{name}"}}},
        }
        for name in names
    ]


def _with(name: str) -> dict[str, Any]:
    """What the `with` of a check takes. Nothing is required of it: another file may give the rest."""
    check = load_check(name)
    parts = _parts(check, f"#/$defs/{name}/$defs/{{name}}")
    own: dict[str, Any] = parts.pop(check.__name__)
    own.pop("required", None)
    return own | {"description": summary(name)} | ({"$defs": parts} if parts else {})
