"""What distributions require of each other, as `pip check` asks it: for this environment, without extras."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from audit.records.environment import Distribution

Holds = Callable[[str], bool]

_FOR_AN_EXTRA = re.compile(r"""\bextra\s*==\s*["']""")
_OR = re.compile(r"\bor\b")


class Unmet(NamedTuple):
    """A requirement that is not met: `found` is the version that is there, None if nothing is; `why` if unreadable."""

    of: str
    requirement: str
    name: str = ""
    found: str | None = None
    why: str = ""


def unmet(found: Sequence[Distribution], markers: Mapping[str, str]) -> Iterator[Unmet]:
    """All requirements of what would be imported that nothing meets."""
    there: dict[str, Distribution] = {canonicalize_name(one.name): one for one in reversed(found)}
    holds = _marker(markers)
    for one in there.values():
        for line in one.requires:
            if _FOR_AN_EXTRA.search(line) and not _OR.search(line):
                continue
            wanting = _wanting(one, line, there, holds)
            if wanting:
                yield wanting


def _marker(markers: Mapping[str, str]) -> Holds:
    """Whether a marker holds; few are asked for again and again."""

    @cache
    def holds(marker: str) -> bool:
        return Marker(marker).evaluate({**markers, "extra": ""})

    return holds


def _wanting(one: Distribution, line: str, there: Mapping[str, Distribution], holds: Holds) -> Unmet | None:
    try:
        asked = Requirement(line)
        if asked.marker and not holds(str(asked.marker)):
            return None
    except (InvalidRequirement, InvalidSpecifier, InvalidVersion, ValueError) as error:
        return Unmet(one.name, line, why=str(error).partition("\n")[0])
    other = there.get(canonicalize_name(asked.name))
    if other is None:
        return Unmet(one.name, line, asked.name)
    return None if _fits(asked.specifier, other.version) else Unmet(one.name, line, asked.name, other.version)


def _fits(specifier: SpecifierSet, version: str) -> bool:
    try:
        return specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False
