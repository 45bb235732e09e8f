"""What of a lock applies: in this environment, with these extras and groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from audit.checks.env._walk import Holds, UnclearError, part_of_group, walk
from audit.records.locks import Lock, Pin

_EXTRA = re.compile(r"""\bextra\s*(?P<operator>==|!=)\s*(?P<name>'[^']*'|"[^"]*")""")
_EXTRA_BEHIND = re.compile(r"""(?P<name>'[^']*'|"[^"]*")\s*(?P<operator>==|!=)\s*extra\b""")
_UNDECIDED = (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, RecursionError)
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
    yield from _elsewhere(lock, _holds(markers, (), ()))


def _elsewhere(lock: Lock, holds: Holds) -> Iterator[Refusal]:
    try:
        if lock.environments and not any(map(holds, lock.environments)):
            yield Refusal("python", f"made for environments of which this is none: {'; '.join(lock.environments)}")
    except UnclearError as error:
        yield Refusal("asked", str(error))


def choices(lock: Lock, markers: Mapping[str, str], wanted: Wanted) -> list[Choice]:
    """Each pin of the lock, and whether it applies."""
    extras = [canonicalize_name(one) for one in wanted.extras]
    groups = [canonicalize_name(one) for one in (lock.chosen if wanted.groups is None else wanted.groups)]
    if lock.roots:
        return _reached(lock, markers, extras, groups)
    active = {lock.main, *groups, *(extras if lock.extras_are_groups else ())}
    holds = _holds(markers, extras, groups)
    platform = _platform(markers)
    return [_choice(pin, holds, active, platform) for pin in lock.pins]


def _reached(lock: Lock, markers: Mapping[str, str], extras: Sequence[str], groups: Sequence[str]) -> list[Choice]:
    """Walk from the roots; uv writes extras and groups that exclude each other into markers under names of its own."""
    named = [f"extra-{len(root)}-{root}-{one}" for root in lock.roots for one in extras]
    named += [f"group-{len(root)}-{root}-{one}" for root in lock.roots for one in groups]
    reached = walk(lock, _holds(markers, [*named, *extras], groups), [*extras, *map(part_of_group, groups)])
    return [
        Choice(pin, None, reached.unclear[at]) if at in reached.unclear else Choice(pin, at in reached.pins)
        for at, pin in enumerate(lock.pins)
        if not pin.virtual or at in reached.unclear
    ]


def _choice(pin: Pin, holds: Holds, active: set[str], platform: str) -> Choice:
    if pin.platform and pin.platform != platform:
        return Choice(pin, applies=False)
    brought = [marker for group, marker in pin.groups.items() if canonicalize_name(group) in active]
    reasons = brought if pin.groups else [pin.marker]
    try:
        return Choice(pin, any(holds(reason) for reason in reasons))
    except UnclearError as error:
        return Choice(pin, None, str(error))


def _platform(markers: Mapping[str, str]) -> str:
    """What conda calls this platform."""
    system = _PLATFORMS.get(markers.get("sys_platform", ""), "")
    machine = markers.get("platform_machine", "").lower()
    return f"{system}-{_MACHINES.get(machine, machine)}"


def _holds(markers: Mapping[str, str], extras: Iterable[str], groups: Iterable[str]) -> Holds:
    """Whether a marker holds, with several extras at once: `extra == "a"` is read as `"a" in extras` (PEP 751)."""
    sets = {"extras": frozenset(extras), "dependency_groups": frozenset(groups)}
    environment: dict[str, str | frozenset[str]] = {**markers, **sets}

    @cache
    def holds(marker: str) -> bool:
        if not marker:
            return True
        try:
            said = Marker(_EXTRA_BEHIND.sub(_in_extras, _EXTRA.sub(_in_extras, marker)))
            return said.evaluate(environment, context="lock_file")
        except _UNDECIDED as error:
            raise UnclearError(f"has a marker that cannot be evaluated: {error}") from None

    return holds


def _in_extras(found: re.Match[str]) -> str:
    return f"{found['name']} {'in' if found['operator'] == '==' else 'not in'} extras"
