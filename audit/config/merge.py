"""Rules merged over the layers: a later file's rule with the same id changes the earlier one field by field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from audit.config.model import RuleEntry
from audit.config.packs import Layer
from audit.config.source import Path_, Source
from audit.records.base import Record

_FIELDS = ("check", "severity", "on", "why", "enabled")


class Place(Record):
    """Where a rule stands in one file."""

    source: Source
    path: Path_


class MergedRule(Record):
    """A rule after all layers, and the places it was written in, earliest first."""

    id: str
    fields: dict[str, Any]
    parameters: dict[str, Any]
    places: tuple[Place, ...]

    def where(self, *path: str | int) -> str:
        """The latest place that says something under this path within the rule."""
        for place in reversed(self.places):
            if (*place.path, *path) in place.source.marks:
                return place.source.where((*place.path, *path))
        return self.places[-1].source.where(self.places[-1].path)


def merge(layers: Iterable[Layer]) -> list[MergedRule]:
    """The rules in the order in which their ids first appear."""
    merged: dict[str, MergedRule] = {}
    for layer in layers:
        for index, entry in enumerate(layer.content.rules):
            place = Place(source=layer.source, path=("rules", index))
            merged[entry.id] = _over(merged.get(entry.id), entry, place)
    return list(merged.values())


def _over(earlier: MergedRule | None, entry: RuleEntry, place: Place) -> MergedRule:
    said = {name: value for name in _FIELDS if (value := getattr(entry, name)) is not UNSET}
    parameters = {} if entry.with_ is UNSET else entry.with_
    if earlier is None:
        return MergedRule(id=entry.id, fields=said, parameters=parameters, places=(place,))
    kept = {} if said.get("check", earlier.fields.get("check")) != earlier.fields.get("check") else earlier.parameters
    return MergedRule(
        id=entry.id, fields=earlier.fields | said, parameters=kept | parameters, places=(*earlier.places, place)
    )
