"""Facts in, results out: one result for every rule of the plan, in its order."""

from __future__ import annotations

import hashlib
import math
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from audit.config.model import WaiverEntry
from audit.engine.graph import Graph
from audit.engine.waivers import covering
from audit.errors import AuditError, Cancelled, NotApplicable
from audit.records.base import Record
from audit.records.check import Check
from audit.records.findings import Attachment, Caution, Exhibit, Figure, Finding, Summary, Violation, key
from audit.records.project import PlannedRule, Project
from audit.records.report import Attached, ReportedViolation, Result, printable
from audit.records.words import Change, Outcome, Severity

SIGNIFICANT_DIGITS = 12
EXHIBIT_BYTES = 64 * 1024
ALL_EXHIBITS_BYTES = 2_000_000
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_LONGEST_NAME = 120


class Evaluated(Record):
    """A rule's result, and what belongs into the envelope: how files changed, what went wrong beside it.

    `files` are where its attachments lie, by the name that they get. `trace` is that of a fault of ours.
    """

    result: Result
    changes: Mapping[str, Change] = {}
    cautions: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    trace: str | None = None


class Judge(Record):
    """What every rule is judged under."""

    project: Project
    waivers: tuple[WaiverEntry, ...]
    as_of: str


def start(graph: Graph, project: Project) -> None:
    """Ask for the facts of all rules at once, so that independent ones are collected side by side."""
    for rule in project.rules:
        with suppress(Exception):  # a check that cannot even say what it needs says so again when it is judged
            for request in rule.asks.needs(project).values() if rule.asks else ():
                graph.start(request)


def judge(graph: Graph, rule: PlannedRule, court: Judge) -> Evaluated:
    """The second of the three boundaries: whatever a check raises becomes the outcome of its rule alone."""
    if rule.asks is None:
        outcome = Outcome.ERROR if rule.error else Outcome.SKIP
        return Evaluated(result=_result(rule, outcome, reason=rule.error or rule.skip))
    try:
        facts = {name: graph.get(request) for name, request in rule.asks.needs(court.project).items()}
        weighed = _weighed(rule, list(rule.asks.evaluate(**facts)), court)
    except NotApplicable as nothing:
        return Evaluated(result=_result(rule, Outcome.SKIP, reason=str(nothing)))
    except AuditError as error:
        return Evaluated(result=_result(rule, Outcome.ERROR, reason=_reason(error), repair=error.hint or None))
    except Exception as error:  # noqa: BLE001 - the boundary of checks
        result = _result(rule, Outcome.ERROR, reason=f"a fault in the auditor itself: {type(error).__name__}: {error}")
        return Evaluated(result=result, trace=_trace(error))
    return _illustrated(graph, rule.asks, weighed, court.project)


def _illustrated(graph: Graph, asks: Check, weighed: Evaluated, project: Project) -> Evaluated:
    """With what shows some of the violations. It is beside the matter: where it cannot be had, no outcome changes."""
    result = weighed.result
    found = [one for one in result.violations if one.waived is None]
    try:
        request = asks.illustrates(project, found) if found else None
        shown: tuple[Exhibit, ...] = graph.get(request) if request else ()
        exhibits = (*result.exhibits, *map(bounded, shown))
    except Cancelled:
        return weighed
    except Exception as error:  # noqa: BLE001 - the boundary of checks, and of what their illustrations need
        caution = f"{result.rule}: what it found is not shown in pictures: {error}"
        trace = None if isinstance(error, AuditError) else _trace(error)
        return msgspec.structs.replace(weighed, cautions=(*weighed.cautions, caution), trace=trace)
    return msgspec.structs.replace(weighed, result=msgspec.structs.replace(result, exhibits=exhibits))


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(error))


def _reason(error: AuditError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _result(rule: PlannedRule, outcome: Outcome, *, reason: str | None = None, repair: str | None = None) -> Result:
    return Result(
        rule=rule.id,
        check=rule.check,
        severity=rule.severity,
        outcome=outcome,
        summary=reason or "",
        why=rule.why,
        reason=reason,
        repair=repair,
    )


def _weighed(rule: PlannedRule, findings: Sequence[Finding], court: Judge) -> Evaluated:
    violating = (one for one in findings if isinstance(one, Violation))
    found = sorted(violating, key=lambda one: (one.subject, one.kind, one.message))
    violations = tuple(_reported(rule, one, court) for one in found)
    said = next((one.text for one in findings if isinstance(one, Summary)), "")
    files = {file_name(rule.id, one.name): one for one in findings if isinstance(one, Attachment)}
    result = msgspec.structs.replace(
        _result(rule, outcome_of(violations)),
        summary=said or _counted(violations),
        reason=_unseen(violations),
        repair=_repair(found),
        figures={one.name: finite(one.value) for one in findings if isinstance(one, Figure)},
        violations=violations,
        exhibits=tuple(bounded(one) for one in findings if isinstance(one, Exhibit)),
        attachments=tuple(Attached(name=name, title=one.title, media=one.media) for name, one in files.items()),
    )
    changes = {said.key: one.change for said, one in zip(violations, found, strict=True) if one.change}
    return Evaluated(
        result=result,
        changes=changes,
        cautions=tuple(f"{rule.id}: {one.text}" for one in findings if isinstance(one, Caution)),
        files={name: one.path for name, one in files.items()},
    )


def file_name(rule: str, name: str) -> str:
    """What a rule's file is called beside the report: the same in each audit, another for each rule.

    A rule's id has no `~`, so what stands for the brackets around its datasets cannot be part of one.
    """
    said = rule.replace("[", "~").replace("/", "~").removesuffix("]")
    kept = _UNSAFE.sub("_", said)[:_LONGEST_NAME]
    if kept != said:
        kept = f"{kept}-{hashlib.sha256(rule.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{kept}{dot}{suffix}"


def _reported(rule: PlannedRule, violation: Violation, court: Judge) -> ReportedViolation:
    reported = ReportedViolation(
        subject=violation.subject,
        kind=violation.kind,
        severity=violation.severity.at_most(rule.severity),
        message=violation.message,
        expected=finite(violation.expected),
        found=finite(violation.found),
        key=key(rule.id, rule.check, violation.subject, violation.kind),
        repair=violation.repair,
        unseen=violation.unseen,
    )
    waiver = covering(court.waivers, rule.id, reported, court.as_of)
    said = f"{waiver.reason} ({waiver.author}, until {waiver.expires})" if waiver else None
    return msgspec.structs.replace(reported, waived=said)


def outcome_of(violations: Sequence[ReportedViolation]) -> Outcome:
    """`error` if something could not be looked at, waived or not; else by the heaviest unwaived violation."""
    if any(violation.unseen for violation in violations):
        return Outcome.ERROR
    heaviest = max((violation.severity.weight for violation in violations if not violation.waived), default=0)
    if heaviest >= Severity.ERROR.weight:
        return Outcome.FAIL
    return Outcome.WARN if heaviest == Severity.WARNING.weight else Outcome.PASS


def _unseen(violations: Sequence[ReportedViolation]) -> str | None:
    blind = [f"{violation.subject}: {violation.message}" for violation in violations if violation.unseen]
    return f"could not look: {blind[0]}{f' (and {len(blind) - 1:,} more)' if len(blind) > 1 else ''}" if blind else None


def _counted(violations: Sequence[ReportedViolation]) -> str:
    if not violations:
        return "as recorded"
    return "1 violation" if len(violations) == 1 else f"{len(violations):,} violations"


def _repair(found: Iterable[Violation]) -> str | None:
    """The distinct repairs, one a line, in the order of their subjects."""
    repairs = dict.fromkeys(one.repair for one in found if one.repair)
    return "\n".join(list(repairs)[:20]) or None


def finite(value: Any) -> Any:
    """A number rounded to 12 significant digits; one that is not finite is said to be so in words."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return f"not computable ({value})"
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def bounded(exhibit: Exhibit) -> Exhibit:
    """The exhibit, or a note that it was too large to keep."""
    size = _size(exhibit)
    return exhibit if size <= EXHIBIT_BYTES else _left_out(exhibit, f"{size:,} bytes, more than {EXHIBIT_BYTES:,}")


def within_all(results: Iterable[Result]) -> Iterator[Result]:
    """The results in their order with the exhibits that there is room for; notes stand for the others."""
    room = ALL_EXHIBITS_BYTES
    for result in results:
        kept = []
        for one in result.exhibits:
            size = _size(one)
            kept.append(one if size <= room else _left_out(one, f"more than {ALL_EXHIBITS_BYTES:,} bytes in all"))
            room -= size if size <= room else 0
        yield msgspec.structs.replace(result, exhibits=tuple(kept))


def _size(exhibit: Exhibit) -> int:
    return len(msgspec.json.encode(printable(exhibit.data)))


def _left_out(exhibit: Exhibit, why: str) -> Exhibit:
    return Exhibit(type="text", title=exhibit.title, data={"text": f"left out: {why}"})
