"""Packs: the rule files that a project extends, in the order in which they apply."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from audit.catalog import nearest
from audit.config.model import RuleFile
from audit.config.source import Source, convert, read
from audit.errors import ConfigError

_SUFFIXES = (".yaml", ".yml")


class Layer(NamedTuple):
    """One rule file with its typed content; earlier layers are merged over by later ones."""

    source: Source
    content: RuleFile


@cache
def shipped() -> dict[str, Path]:
    """The packs that come with the package, by name."""
    inside = Path(__file__).parents[1] / "rules"
    home = inside if inside.is_dir() else Path(__file__).parents[2] / "rules"
    return {file.stem: file for file in sorted(home.glob("*.yaml"))}


def layers(file: Path, label: str) -> list[Layer]:
    """The rule file and all it extends, those it extends first; a file reached twice applies once, at its first place."""
    return list({str(layer.source.label): layer for layer in _walk(file, label, ())}.values())


def _walk(file: Path, label: str, above: tuple[str, ...]) -> Iterator[Layer]:
    source = read(file, label)
    content = convert(source, (), _mapping(source), RuleFile)
    _no_id_twice(source, content)
    chain = (*above, label)
    for index, name in enumerate(content.extends):
        below, below_label = _resolve(source, name, index)
        if below_label in chain:
            circle = " -> ".join((*chain[chain.index(below_label) :], below_label))
            raise ConfigError(f"rule files extend each other in a circle: {circle}", where=source.where(("extends", index)))
        yield from _walk(below, below_label, chain)
    if above:
        _only_rules(source, content)
    yield Layer(source, content)


def _mapping(source: Source) -> dict[str, object]:
    if not isinstance(source.value, dict):
        raise ConfigError("a rule file is a mapping that begins with `version: 1`", where=source.where(()))
    return source.value


def _resolve(source: Source, name: str, index: int) -> tuple[Path, str]:
    if not name.endswith(_SUFFIXES):
        if name not in shipped():
            raise ConfigError(f"unknown pack {name!r}", where=source.where(("extends", index)), hint=nearest(name, shipped()))
        return shipped()[name], f"pack {name}"
    file = source.folder / name
    if not file.is_file():
        raise ConfigError(f"no rule file {name!r}", where=source.where(("extends", index)), hint="paths are relative to this file")
    parent = source.label.rpartition("/")[0]
    return file, _normal(f"{parent}/{name}" if parent else name)


def _normal(label: str) -> str:
    import posixpath

    return posixpath.normpath(label)


def _no_id_twice(source: Source, content: RuleFile) -> None:
    seen: dict[str, int] = {}
    for index, rule in enumerate(content.rules):
        if rule.id in seen:
            first = source.where(("rules", seen[rule.id], "id"))
            raise ConfigError(
                f"the rule id {rule.id!r} stands twice in this file", where=source.where(("rules", index, "id")), hint=f"first at {first}"
            )
        seen[rule.id] = index


def _only_rules(source: Source, content: RuleFile) -> None:
    """What is the project's own cannot come out of a pack."""
    for field in ("datasets", "waivers", "environment"):
        if getattr(content, field):
            raise ConfigError(f"a pack holds rules; {field!r} belongs in audit.yaml", where=source.where((field,)))
