"""From a lock's own packages along the edges that hold, to all that applies.

Of several packages under one name an edge means the one that it names, then the one of whose forks one holds; never
the first or the last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from packaging.utils import canonicalize_name

from audit.records.locks import Lock, Need, Pin

Holds = Callable[[str], bool]
"""Whether a marker holds; raises `UnclearError`."""


class UnclearError(ValueError):
    """What cannot be decided."""


class Reached(NamedTuple):
    """The places in `Lock.pins` of what applies, and of what cannot be decided, with the reason."""

    pins: set[int]
    unclear: dict[int, str]


def part_of_group(group: str) -> str:
    """A group of a package, as what its edges are for; an extra's name has no space."""
    return f"group {canonicalize_name(group)}"


def walk(lock: Lock, holds: Holds, parts: Iterable[str]) -> Reached:
    """All that is reached from the roots, with these of their parts: extras, and groups by `part_of_group`."""
    graph = _Graph(lock, holds)
    chosen = ("", *parts)
    waiting = [(at, part) for root in lock.roots for at in graph.named[canonicalize_name(root)] for part in chosen]
    seen = set(waiting)
    for at, part in waiting:
        for step in graph.steps(at, part):
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return Reached({at for at, _ in seen}, graph.unclear)


class _Graph:
    """The edges of a lock, in one environment."""

    def __init__(self, lock: Lock, holds: Holds) -> None:
        self.pins = lock.pins
        self.holds = holds
        self.unclear: dict[int, str] = {}
        self.named: defaultdict[str, list[int]] = defaultdict(list)
        for at, pin in enumerate(lock.pins):
            self.named[canonicalize_name(pin.name)].append(at)

    def steps(self, at: int, part: str) -> Iterator[tuple[int, str]]:
        """From this part of a package to others: to each itself, and to the extras that are asked of it."""
        for need in self.pins[at].needs:
            if _part(need) == part:
                for target in self._targets(at, need):
                    yield from ((target, canonicalize_name(extra)) for extra in ("", *need.extras))

    def _targets(self, at: int, need: Need) -> list[int]:
        """The one package that is needed here, or none."""
        some = [one for one in self.named[canonicalize_name(need.name)] if _meant(need, self.pins[one])]
        try:
            if not self.holds(need.marker):
                return []
            found = some if len(some) == 1 else [one for one in some if self._forked(self.pins[one])]
        except UnclearError as error:
            self.unclear |= dict.fromkeys(some or [at], str(error))
            return []
        if len(found) == 1:
            return found
        which = f"and the lock does not say which of {len(some)} that is here" if some else "which is not in the lock"
        why = f"{self.pins[at].name} needs {need.name}, {which}"
        self.unclear |= dict.fromkeys([at, *some], why)
        return []

    def _forked(self, pin: Pin) -> bool:
        return not pin.forks or any(map(self.holds, pin.forks))


def _part(need: Need) -> str:
    return part_of_group(need.group) if need.group else canonicalize_name(need.extra)


def _meant(need: Need, pin: Pin) -> bool:
    return need.version in {"", pin.version} and need.source in {"", pin.source}
