"""Packs: the rule files that a project extends, in the order in which they apply."""

from __future__ import annotations

import os
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from audit.config.model import END, RuleFile
from audit.config.source import Source, read
from audit.records.text import guess

PATH = r"^(?![/~])[^\\\x00]*\.ya?ml" + END
"""What an entry of `extends` looks like that is a path, relative to its file; other entries are names of packs."""

_DEPTH = 50  # files that extend each other: no house is so high
_OWN = ("datasets", "waivers", "environment")


class Layer(NamedTuple):
    """One rule file with its typed content; earlier layers are merged over by later ones."""

    source: Source
    content: RuleFile


class _File(NamedTuple):
    """A rule file before it is read; two of one identity are one file, by whatever way they were reached."""

    path: Path
    label: str

    @property
    def identity(self) -> str:
        return os.path.realpath(self.path)


@cache
def shipped() -> dict[str, Path]:
    """The packs that come with the package, by name: beside the code in the wheel, beside its folder in a checkout."""
    inside = Path(__file__).parents[1] / "rules"
    home = inside if inside.is_dir() else Path(__file__).parents[2] / "rules"
    return {file.stem: file for file in sorted(home.glob("*.yaml"))}


def layers(file: Path, label: str) -> list[Layer]:
    """The rule file and all it extends, those it extends first. Raises `ConfigError`.

    A file that is reached twice applies once, at its first place.
    """
    found: dict[str, Layer] = {}
    _gather(_File(file, label), (), found)
    return list(found.values())


def _gather(this: _File, above: tuple[_File, ...], found: dict[str, Layer]) -> None:
    source = read(this.path, this.label)
    content = source.fit(RuleFile)
    _no_id_twice(source, content)
    if above:
        _only_rules(source, content)
    chain = (*above, this)
    for index, name in enumerate(content.extends):
        below = _resolve(source, name, index)
        _no_circle(source, index, chain, below)
        if below.identity not in found:
            _gather(below, chain, found)
    found[this.identity] = Layer(source, content)


def _resolve(source: Source, name: str, index: int) -> _File:
    place = ("extends", index)
    if name in shipped():
        return _File(shipped()[name], f"pack {name}")
    if not re.search(PATH, name):
        hint = guess(name, shipped()) or "the path of a file is relative to this one, with /, and ends in .yaml"
        raise source.fault(place, f"unknown pack {name!r}", hint)
    file = source.folder / name
    if not os.path.isfile(file):  # noqa: PTH113 - pathlib raises where a name is too long to be one
        raise source.fault(place, f"no rule file {name!r}", _near(source, name) or "paths are relative to this file")
    return _File(file, posixpath.normpath(posixpath.join(posixpath.dirname(source.label), name)))


def _near(source: Source, name: str) -> str:
    """The pack, or the rule file in the same folder, whose name is most like this one."""
    folder = posixpath.dirname(name)
    files = (source.folder / folder).glob("*.y*ml")
    beside = [posixpath.join(folder, file.name) for file in files if file.is_file()]
    return guess(posixpath.splitext(name)[0], shipped()) or guess(name, beside, 0.8)  # the suffixes are alike anyway


def _no_circle(source: Source, index: int, chain: tuple[_File, ...], below: _File) -> None:
    identities = [file.identity for file in chain]
    if below.identity in identities:
        circle = " -> ".join(file.label for file in (*chain[identities.index(below.identity) :], below))
        raise source.fault(("extends", index), f"rule files extend each other in a circle: {circle}")
    if len(chain) > _DEPTH:
        raise source.fault(("extends", index), f"more than {_DEPTH} rule files extend each other")


def _no_id_twice(source: Source, content: RuleFile) -> None:
    seen: dict[str, int] = {}
    for index, rule in enumerate(content.rules):
        if rule.id in seen:
            first = source.where(("rules", seen[rule.id], "id"))
            raise source.fault(("rules", index, "id"), f"{rule.id!r} stands twice in this file", f"first at {first}")
        seen[rule.id] = index


def _only_rules(source: Source, content: RuleFile) -> None:
    """What is the project's own cannot come out of a pack."""
    for field in _OWN:
        if getattr(content, field):
            raise source.fault((field,), "belongs in audit.yaml; a file that is extended holds rules")
