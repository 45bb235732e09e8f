"""What of a lock applies: in this environment, with these extras and groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from audit.checks.env._walk import Holds, UnclearError, part_of_group, walk
from audit.records.locks import Lock, Pin

_EXTRA = re.compile(r"""\bextra\s*(==|!=)\s*('[^']*'|"[^"]*")""")
_PLATFORMS = {"linux": "linux", "darwin": "osx", "win32": "win"}
_MACHINES = {"x86_64": "64", "amd64": "64", "i686": "32", "x86": "32"}


class Wanted(NamedTuple):
    """What was asked for besides the main group; `groups` is None where nobody chose."""

    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None


class Choice(NamedTuple):
    """A pin, and whether it applies; None where that cannot be said, and `why`."""

    pin: Pin
    applies: bool | None
    why: str = ""


class Refusal(NamedTuple):
    """Why the lock says nothing of this environment: `kind` and `message` are a violation's."""

    kind: str
    message: str


def refusals(lock: Lock, markers: Mapping[str, str], wanted: Wanted) -> Iterator[Refusal]:
    """What was asked for and the lock does not have; that it was made for another Python or system."""
    for kind, asked, known in (("extra", wanted.extras, lock.extras), ("group", wanted.groups or (), lock.groups)):
        there = {canonicalize_name(one) for one in (*(known or ()), *lock.chosen)}
        has = f"it has {', '.join(known)}" if known else "it has none"
        missing = [one for one in asked if known is not None and canonicalize_name(one) not in there]
        yield from (Refusal("asked", f"no {kind} {one} is in the lock: {has}") for one in missing)
    version = markers.get("python_full_version", "")
    try:
        if lock.python and not SpecifierSet(lock.python).contains(version, prereleases=True):
            yield Refusal("python", f"made for Python {lock.python}, and this is {version}")
    except (InvalidSpecifier, InvalidVersion):
        yield Refusal("asked", f"made for a Python that cannot be understood: {lock.python}")
    holds = _holds(markers, frozenset(), frozenset())
    if lock.environments and not any(map(holds, lock.environments)):
        yield Refusal("python", f"made for environments of which this is none: {'; '.join(lock.environments)}")


def choices(lock: Lock, markers: Mapping[str, str], wanted: Wanted) -> list[Choice]:
    """Each pin of the lock, and whether it applies."""
    groups = lock.chosen if wanted.groups is None else wanted.groups
    if lock.roots:
        return _reached(lock, markers, wanted.extras, groups)
    active = {lock.main, *groups, *(wanted.extras if lock.extras == lock.groups else ())}
    holds = _holds(markers, frozenset(wanted.extras), frozenset(groups))
    platform = _platform(markers)
    return [_choice(pin, holds, active, platform) for pin in lock.pins]


def _reached(lock: Lock, markers: Mapping[str, str], extras: Sequence[str], groups: Sequence[str]) -> list[Choice]:
    """Walk from the roots; uv writes extras and groups that exclude each other into markers under names of its own."""
    own = {f"{kind}-{len(root)}-{root}-{one}" for root in lock.roots for kind, one in _kinds(extras, groups)}
    reached = walk(
        lock,
        _holds(markers, frozenset({*own, *extras}), frozenset(groups)),
        [*map(canonicalize_name, extras), *map(part_of_group, groups)],
    )
    return [
        Choice(pin, None, reached.unclear[at]) if at in reached.unclear else Choice(pin, at in reached.pins)
        for at, pin in enumerate(lock.pins)
        if not pin.virtual
    ]


def _kinds(extras: Sequence[str], groups: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from (("extra", one) for one in extras)
    yield from (("group", one) for one in groups)


def _choice(pin: Pin, holds: Holds, active: set[str], platform: str) -> Choice:
    if pin.platform and pin.platform != platform:
        return Choice(pin, applies=False)
    reasons = [pin.marker] if not pin.groups else [pin.groups[group] for group in pin.groups if group in active]
    try:
        return Choice(pin, any(holds(reason) for reason in reasons))
    except UnclearError as error:
        return Choice(pin, None, str(error))


def _platform(markers: Mapping[str, str]) -> str:
    """What conda calls this platform."""
    system = _PLATFORMS.get(markers.get("sys_platform", ""), "")
    machine = markers.get("platform_machine", "").lower()
    return f"{system}-{_MACHINES.get(machine, machine)}"


def _holds(markers: Mapping[str, str], extras: frozenset[str], groups: frozenset[str]) -> Holds:
    """Whether a marker holds, with several extras at once: `extra == "a"` is read as `"a" in extras` (PEP 751)."""
    environment: dict[str, str | frozenset[str]] = {**markers, "extras": extras, "dependency_groups": groups}

    @cache
    def holds(marker: str) -> bool:
        if not marker:
            return True
        try:
            said = Marker(_EXTRA.sub(_in_extras, marker))
            return said.evaluate(environment, context="lock_file")
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, InvalidVersion) as error:
            raise UnclearError(f"has a marker that cannot be evaluated: {error}") from None

    return holds


def _in_extras(found: re.Match[str]) -> str:
    return f"{found[2]} {'in' if found[1] == '==' else 'not in'} extras"
