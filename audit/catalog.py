"""Finds checks by their place, without importing them.

`audit/checks/<family>/<name>.py` is the check `family.name`; an underscore in the
file's name is a dash in the check's. Other distributions add checks through the
entry point group `audit.checks`, named `family.name`, under families of their own.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from audit.errors import AuditError, ConfigError
from audit.records.check import Check

_HOME = Path(__file__).parent / "checks"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the known word most like this one, or how many there are."""
    import difflib

    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(words[:12])}{', ...' if len(words) > 12 else ''}" if words else ""  # noqa: PLR2004 - a line's worth


@cache
def checks() -> Mapping[str, str]:
    """Every check there is: its name, and the module (`module:Class` from an entry point) it lives in."""
    own = {
        f"{file.parent.name}.{file.stem.replace('_', '-')}": f"audit.checks.{file.parent.name}.{file.stem}"
        for file in sorted(_HOME.glob("[a-z]*/[a-z]*.py"))
    }
    families = {name.partition(".")[0] for name in own}
    return MappingProxyType(own | _foreign(families))


def _foreign(families: set[str]) -> dict[str, str]:
    """The checks of other distributions; a family of ours, or a name taken twice, is an error."""
    from importlib.metadata import entry_points

    found: dict[str, str] = {}
    for point in entry_points(group="audit.checks"):
        if point.name.partition(".")[0] in families:
            raise AuditError(f"a plugin claims the check {point.name!r}, whose family is built in", where=point.value)
        if point.name in found and found[point.name] != point.value:
            raise AuditError(f"two plugins claim the check {point.name!r}", where=f"{found[point.name]}, {point.value}")
        found[point.name] = point.value
    return found


@cache
def load_check(name: str) -> type[Check]:
    """The class of a check. Raises `ConfigError` if there is none of that name."""
    place = checks().get(name)
    if place is None:
        raise ConfigError(f"unknown check {name!r}", hint=nearest(name, checks()))
    module, _, attribute = place.partition(":")
    space = importlib.import_module(module)
    found = [getattr(space, attribute)] if attribute else _defined_in(space)
    if len(found) != 1 or not issubclass(found[0], Check):
        raise AuditError(f"{module} must define exactly one check, it defines {len(found)}")
    return found[0]


def _defined_in(space: object) -> list[type[Check]]:
    def ours(value: object) -> bool:
        return inspect.isclass(value) and issubclass(value, Check) and value.__module__ == space.__name__  # type: ignore[attr-defined]

    return [value for _, value in inspect.getmembers(space, ours)]


def summary(name: str) -> str:
    """The first line of a check's page, read without importing the check where it is built in."""
    import ast

    place = checks()[name]
    if ":" in place:
        return (inspect.getdoc(load_check(name)) or "").split("\n", 1)[0]
    source = (_HOME / f"{place.removeprefix('audit.checks.').replace('.', '/')}.py").read_text("utf-8")
    pages = [ast.get_docstring(node) for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and _is_check(node)]
    return (pages[0] or "").split("\n", 1)[0] if pages else ""


def _is_check(node: object) -> bool:
    return any(getattr(base, "id", "") == "Check" for base in getattr(node, "bases", ()))
