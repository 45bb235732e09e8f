"""Rules merged over the layers: a later file's rule with the same id changes the earlier one field by field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from audit.config.model import RuleEntry
from audit.config.packs import Layer
from audit.config.shapes import Path
from audit.config.source import Source
from audit.errors import ConfigError

_FIELDS = ("check", "severity", "on", "why", "enabled")


class Said(NamedTuple):
    """A value, and where it was said."""

    value: Any
    source: Source
    path: Path

    def fault(self, what: str, hint: str = "", inside: Path = ()) -> ConfigError:
        """An error that names the value, or the part of it under a path."""
        return self.source.fault((*self.path, *inside), what, hint)


class MergedRule(NamedTuple):
    """What all layers say of one rule: of each field and each parameter what was said last."""

    id: Said
    fields: Mapping[str, Said]
    parameters: Mapping[str, Said]

    def get(self, field: str, default: Any = None) -> Any:
        """The value of a field."""
        return self.fields[field].value if field in self.fields else default

    def values(self) -> dict[str, Any]:
        """The parameters without their places."""
        return {name: said.value for name, said in self.parameters.items()}

    def under(self, later: MergedRule) -> MergedRule:
        """This rule with a later one over it."""
        return MergedRule(later.id, {**self.fields, **later.fields}, {**self.parameters, **later.parameters})


def merge(layers: Iterable[Layer]) -> list[MergedRule]:
    """The rules, in the order in which their ids first appear."""
    merged: dict[str, MergedRule] = {}
    for layer in layers:
        for index, entry in enumerate(layer.content.rules):
            rule = _alone(entry, layer.source, ("rules", index))
            merged[entry.id] = merged[entry.id].under(rule) if entry.id in merged else rule
    return list(merged.values())


def _alone(entry: RuleEntry, source: Source, path: Path) -> MergedRule:
    said = {name: value for name in _FIELDS if (value := getattr(entry, name)) is not UNSET}
    parameters = {} if entry.with_ is UNSET else entry.with_
    return MergedRule(
        Said(entry.id, source, (*path, "id")),
        {name: Said(value, source, (*path, name)) for name, value in said.items()},
        {name: Said(value, source, (*path, "with", name)) for name, value in parameters.items()},
    )
