"""The rules in the order in which a person reads them, their violations gathered by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from audit.records.base import Record
from audit.records.report import Report, ReportedViolation, Result
from audit.records.words import Change, Outcome, Severity

T = TypeVar("T")

RANK = {outcome: place for place, outcome in enumerate(Outcome)}
"""Failures and errors first; within one outcome the plan's order holds."""

FIRST = 5
"""So many violations of a kind, and so many commands for a rule, are shown before the rest folds away."""


class Room(NamedTuple):
    """How much one page may show; all of it is in `report.json`.

    `subject` and `text` are characters, `rows` violations of one kind, `commands`
    those of one task beyond the first, `exhibit` characters of one exhibit.
    """

    subject: int
    text: int
    rows: int
    commands: int
    exhibit: int


class Entry(NamedTuple):
    """A violation, where a link finds it, and how its subject came to differ."""

    anchor: str
    change: Change | None
    violation: ReportedViolation


class Group(Record):
    """The violations of one rule that are of one kind.

    `minor` says that all of them are mere notes. `weight` is one of them where all weigh
    the same; it, `message` and `repair` are set where all share them, so that it is said
    once. `columns` are what the table of the rest still needs.
    """

    kind: str
    total: int
    waived: int
    first: tuple[Entry, ...]
    rest: tuple[Entry, ...]
    columns: frozenset[str]
    minor: bool
    weight: ReportedViolation | None
    message: str | None
    repair: str | None
    changes: tuple[tuple[Change, int], ...]
    left_out: int


class Repair(Record):
    """What mends so many violations of each of these kinds: a command.

    `subjects` are the first of the `total` subjects that it mends.
    The hint of an error is a `sentence` instead, with code between backticks. Nothing in it
    is offered for copying, for a name out of the project may stand in it.
    """

    text: str
    sentence: bool = False
    kinds: tuple[tuple[str, int], ...] = ()
    subjects: tuple[str, ...] = ()
    total: int = 0


class Rule(Record):
    """One result; `open` if it should be unfolded from the start."""

    anchor: str
    result: Result
    groups: tuple[Group, ...]
    repair: Repair | None
    open: bool
    violations: int
    waived: int


class Anchors:
    """Names for links, each given once: a rule may be called like another's key, or like a part of the page."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def give(self, name: str) -> str:
        """The name, or one close to it: without white space, which an id must not have, and not taken yet."""
        wanted = "".join(char if char.isprintable() and char != " " else "_" for char in name)
        if not wanted or wanted.startswith("page-"):
            wanted = f"_{wanted}"
        self._given[wanted] += 1
        number = self._given[wanted]
        return wanted if number == 1 else self.give(f"{wanted}-{number}")


def arrange(report: Report, room: Room) -> tuple[Rule, ...]:
    """The rules of the report, within the room."""
    anchors = Anchors()
    ordered = sorted(report.results, key=lambda result: RANK[result.outcome])
    # Rules first: a link to one must not fall to a violation that is called alike.
    named = [(anchors.give(result.rule), result) for result in ordered]
    return tuple(_rule(anchor, result, report.envelope.changes, anchors, room) for anchor, result in named)


def _rule(anchor: str, result: Result, changes: Mapping[str, Change], anchors: Anchors, room: Room) -> Rule:
    kinds: dict[str, list[ReportedViolation]] = {}
    for violation in sorted(result.violations, key=lambda one: (one.waived is not None, -one.severity.weight)):
        kinds.setdefault(violation.kind, []).append(violation)
    return Rule(
        anchor=anchor,
        result=result,
        groups=tuple(_group(kind, found, changes, anchors, room) for kind, found in kinds.items()),
        repair=_own(result),
        open=result.outcome in (Outcome.FAIL, Outcome.ERROR),
        violations=len(result.violations),
        waived=sum(violation.waived is not None for violation in result.violations),
    )


def _group(
    kind: str, found: Sequence[ReportedViolation], changes: Mapping[str, Change], anchors: Anchors, room: Room
) -> Group:
    kept = found[: room.rows]
    entries = [Entry(anchors.give(one.key), changes.get(one.key), one) for one in kept]
    # A table for one or two rows is more to read than the rows.
    first = len(entries) if len(entries) <= FIRST + 2 else FIRST
    weight = found[0] if len({(one.severity, one.unseen) for one in found}) == 1 else None
    message = _shared(one.message for one in found)
    return Group(
        kind=kind,
        total=len(found),
        waived=sum(one.waived is not None for one in found),
        first=tuple(entries[:first]),
        rest=tuple(entries[first:]),
        columns=frozenset(_columns(entries[first:])) - _said(severity=weight, message=message),
        minor=all(one.severity is Severity.NOTE and not one.unseen for one in found),
        weight=weight,
        message=message,
        repair=_shared(one.repair for one in found if one.waived is None),
        changes=_ways(found, changes),
        left_out=len(found) - len(kept),
    )


def _shared(values: Iterable[T]) -> T | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _said(**shared: object) -> set[str]:
    return {name for name, value in shared.items() if value is not None}


def _ways(found: Iterable[ReportedViolation], changes: Mapping[str, Change]) -> tuple[tuple[Change, int], ...]:
    ways = Counter(changes[one.key] for one in found if one.key in changes)
    return tuple((change, ways[change]) for change in Change if ways[change])


def _columns(rest: Sequence[Entry]) -> Iterator[str]:
    if any(entry.change for entry in rest):
        yield "change"
    for name in ("severity", "message", "expected", "found", "waived"):
        if any(getattr(entry.violation, name) is not None for entry in rest):
            yield name


def _own(result: Result) -> Repair | None:
    """The rule's repair, unless it only sums up those of its violations.

    Where the rule could not look, it is the hint of the error that says why: a sentence.
    """
    said = {line for one in result.violations if one.repair for line in one.repair.split("\n")}
    if not result.repair or said.issuperset(result.repair.split("\n")):
        return None
    hint = result.outcome is Outcome.ERROR and not result.repair.startswith("pip install ")
    return Repair(text=result.repair, sentence=hint)
