"""What must be done: the repairs of all rules as one list, each repair once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from audit.records.base import Record
from audit.records.report import ReportedViolation
from audit.records.words import Outcome, Severity
from audit.sinks.html.rules import RANK, Repair, Rule

TO_MEND = (Outcome.FAIL, Outcome.ERROR, Outcome.WARN)
EXAMPLES = 3


class Task(Record):
    """Something to do, for the rules that ask for it. Without a repair, `examples` say where to look."""

    rules: tuple[Rule, ...]
    outcome: Outcome
    violations: int
    repairs: tuple[Repair, ...] = ()
    examples: tuple[ReportedViolation, ...] = ()


def tasks(rules: Iterable[Rule]) -> list[Task]:
    """Each repair once, beside the rules that ask for it; and what has no known repair."""
    asking = [rule for rule in rules if rule.result.outcome in TO_MEND]
    wanted: dict[Repair, list[Rule]] = {}
    for rule in asking:
        for repair in _repairs(rule):
            wanted.setdefault(repair, []).append(rule)
    together: dict[tuple[str, ...], list[Repair]] = {}
    for repair, wanting in wanted.items():
        together.setdefault(tuple(rule.anchor for rule in wanting), []).append(repair)
    known = [_task(wanted[repairs[0]], repairs) for repairs in together.values()]
    unknown = [task for rule in asking for task in _unrepaired(rule)]
    return sorted([*known, *unknown], key=lambda task: RANK[task.outcome])


def _repairs(rule: Rule) -> list[Repair]:
    """The rule's own repair, then those of its violations, each once."""
    named = dict.fromkeys(one.repair for one in rule.result.violations if one.repair and one.waived is None)
    own = [rule.repair] if rule.repair else []
    return [*own, *(Repair(text=text) for text in named)]


def _task(rules: Sequence[Rule], repairs: Sequence[Repair]) -> Task:
    mended: dict[str, list[ReportedViolation]] = {repair.text: [] for repair in repairs}
    for rule in rules:
        for one in rule.result.violations:
            if one.waived is None and one.repair in mended:
                mended[one.repair].append(one)
    return Task(
        rules=tuple(rules),
        outcome=rules[0].result.outcome,
        violations=sum(map(len, mended.values())),
        repairs=tuple(_telling(repair, mended[repair.text]) for repair in repairs),
    )


def _telling(repair: Repair, mended: Sequence[ReportedViolation]) -> Repair:
    """The repair with what it mends; each subject once, whichever rules name it."""
    subjects = tuple(dict.fromkeys(one.subject for one in mended))
    kinds = tuple(Counter(one.kind for one in mended).items())
    return replace(repair, kinds=kinds, subjects=subjects[:EXAMPLES], total=len(subjects))


def _unrepaired(rule: Rule) -> Iterator[Task]:
    """What weighs and no repair is known for."""
    without = tuple(
        one
        for one in rule.result.violations
        if one.waived is None and one.repair is None and one.severity is not Severity.NOTE
    )
    if not rule.repair and (without or not _repairs(rule)):
        yield Task(rules=(rule,), outcome=rule.result.outcome, violations=len(without), examples=without[:EXAMPLES])
