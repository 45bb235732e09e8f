"""Finds checks, and the sections of `audit.lock`, by their place, without importing them.

`audit/checks/<family>/<name>.py` is the check `family.name`; an underscore in the
file's name is a dash in the check's. Other distributions add checks through the
entry point group `audit.checks`, each named `family.name` under a family of their
own (https://packaging.python.org/en/latest/specifications/entry-points/).
`audit/facts/sections/<name>.py` is the section `name`.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, TypeVar

from audit.errors import AuditError, ConfigError, UsageError
from audit.records.check import Check
from audit.records.section import Section
from audit.records.text import nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
GROUP = "audit.checks"
_HOME = Path(__file__).parent / "checks"
_SECTIONS = Path(__file__).parent / "facts" / "sections"
_NAME = re.compile(r"[a-z][a-z0-9]*\.[a-z][a-z0-9-]*")


@cache
def built_in() -> Mapping[str, str]:
    """The checks that come with the package: the name of each, and the module that it lives in."""
    files = sorted(_HOME.glob("[a-z]*/[a-z]*.py"))
    return MappingProxyType(
        {
            f"{file.parent.name}.{file.stem.replace('_', '-')}": f"{GROUP}.{file.parent.name}.{file.stem}"
            for file in files
        }
    )


@cache
def checks() -> Mapping[str, str]:
    """Every check there is, those of other distributions as `module:Class`. Raises `AuditError` if two share a name."""
    return MappingProxyType({**built_in(), **_foreign(_entry_points())})


@cache
def load_check(name: str) -> type[Check]:
    """The class of a check. Raises `ConfigError` if there is none of that name."""
    place = checks().get(name)
    if place is None:
        raise ConfigError(f"unknown check {name!r}", hint=nearest(name, checks()))
    module, _, attribute = place.partition(":")
    space = _imported(module, name)
    found = [getattr(space, attribute, None)] if attribute else list(_defined_in(space, Check))
    if len(found) == 1 and inspect.isclass(found[0]) and issubclass(found[0], Check):
        return found[0]
    raise AuditError(f"the check {name!r} is not one class derived from `audit.records.check.Check`", where=place)


def page(name: str) -> str:
    """The page of a check: its docstring, Markdown."""
    return inspect.getdoc(load_check(name)) or ""


def summary(name: str) -> str:
    """The first line of a check's page: what it holds true."""
    return page(name).partition("\n")[0]


@cache
def sections() -> tuple[str, ...]:
    """The sections of `audit.lock` that this audit knows, sorted by name."""
    return tuple(sorted(file.stem.replace("_", "-") for file in _SECTIONS.glob("[a-z]*.py")))


def load_section(name: str) -> type[Section]:
    """The class of a section. Raises `UsageError` if there is none of that name."""
    if name not in sections():
        raise UsageError(f"audit.lock has no section {name!r}", hint=nearest(name, sections()))
    space = import_module(f"audit.facts.sections.{name.replace('-', '_')}")
    (found,) = _defined_in(space, Section)
    return found


def _imported(module: str, check: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        raise AuditError(f"the check {check!r} cannot be imported: {error}", where=module) from error


def _defined_in(space: ModuleType, base: type[T]) -> Iterator[type[T]]:
    for value in vars(space).values():
        if inspect.isclass(value) and issubclass(value, base) and value.__module__ == space.__name__:
            yield value


def _foreign(points: Iterable[EntryPoint]) -> dict[str, str]:
    """The checks of other distributions; a family of ours, or a name taken twice, is an error."""
    families = {name.partition(".")[0] for name in built_in()}
    found: dict[str, str] = {}
    for point in points:
        if not _NAME.fullmatch(point.name) or ":" not in point.value:
            raise AuditError(f"a plugin's check is `family.name = module:Class`, not {point.name!r}", where=point.value)
        if point.name.partition(".")[0] in families:
            raise AuditError(f"a plugin claims the check {point.name!r}, whose family is built in", where=point.value)
        if found.setdefault(point.name, point.value) != point.value:
            raise AuditError(f"two plugins claim the check {point.name!r}", where=f"{found[point.name]}, {point.value}")
    return found


def _entry_points() -> Iterable[EntryPoint]:
    """Entry points of our group. Importing what reads them takes longer than to see first whether there are any."""
    if not any(_announces(folder) for folder in sys.path):
        return ()
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


def _announces(folder: str) -> bool:
    """Whether a distribution in a folder of `sys.path` has a section of ours in its `entry_points.txt`."""
    try:
        names = [name for name in os.listdir(folder or ".") if name.lower().endswith("-info")]  # noqa: PTH208 - twice as fast as pathlib
    except OSError:
        return False
    return any(f"[{GROUP}]".encode() in _bytes(Path(folder, name, "entry_points.txt")) for name in names)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
