"""One audit, from a plan to a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from audit import __version__
from audit.config.load import Config
from audit.engine.evaluate import Evaluated, Judge, judge, start, within_all
from audit.engine.graph import Graph
from audit.engine.waivers import states
from audit.errors import Exit
from audit.records.base import Record
from audit.records.project import Project
from audit.records.report import Body, Envelope, Report, Result, Selection, digest
from audit.records.words import FailOn, Outcome, Severity, Verdict


class Terms(Record):
    """What an audit is held under, beside its rules."""

    fail_on: FailOn
    selection: Selection
    as_of: date


class Audited(NamedTuple):
    """The report, the traces of faults of our own, and where the attachments lie, by their names."""

    report: Report
    traces: tuple[str, ...]
    files: Mapping[str, str]


def audit(graph: Graph, config: Config, project: Project, terms: Terms) -> Audited:
    """Ctrl-C ends it early, with what was found so far."""
    started = graph.host.now()
    court = Judge(project=project, waivers=config.waivers, as_of=terms.as_of.isoformat())
    evaluated, cut = _judge_all(graph, court)
    results = tuple(within_all(one.result for one in evaluated))
    body = Body(
        project=project.name,
        trigger=project.trigger,
        as_of=court.as_of,
        rules_digest=config.digest,
        fail_on=terms.fail_on,
        selection=terms.selection,
        verdict=verdict(results, terms),
        counts=counts(results),
        results=results,
        waivers=states(config.waivers, results, court.as_of),
    )
    report = Report(body=body, envelope=_envelope(graph, body, evaluated, started, interrupted=cut))
    files = {name: path for one in evaluated for name, path in one.files.items()}
    return Audited(report, tuple(one.trace for one in evaluated if one.trace), files)


def _judge_all(graph: Graph, court: Judge) -> tuple[list[Evaluated], bool]:
    """What every rule came to, and whether Ctrl-C stopped the collecting; what was known by then is still judged."""
    done: list[Evaluated] = []
    try:
        start(graph, court.project)
        _judge_rest(graph, court, done)
    except KeyboardInterrupt:
        graph.stop()
        _judge_rest(graph, court, done)
        return done, True
    return done, False


def _judge_rest(graph: Graph, court: Judge, done: list[Evaluated]) -> None:
    for rule in court.project.rules[len(done) :]:
        done.append(judge(graph, rule, court))  # noqa: PERF401 - what was done must outlive an interrupt


def verdict(results: Sequence[Result], terms: Terms) -> Verdict:
    """Design: `incomplete` if anything was not looked at, else by the heaviest unwaived violation."""
    outcomes = {result.outcome for result in results}
    if Outcome.ERROR in outcomes or not outcomes - {Outcome.SKIP} or terms.selection:
        return Verdict.INCOMPLETE
    return Verdict.FAIL if failing(results, terms.fail_on) else Verdict.PASS


def failing(results: Sequence[Result], fail_on: FailOn) -> bool:
    """Whether an unwaived violation weighs at least `fail_on`; `never` changes the exit code, not the verdict."""
    limit = (Severity.ERROR if fail_on is FailOn.NEVER else Severity(fail_on.value)).weight
    return any(
        violation.severity.weight >= limit and not violation.waived
        for result in results
        for violation in result.violations
    )


def exit_code(report: Report) -> Exit:
    """What a launcher acts on; an outcome `error` outranks a `fail`, and a selection is judged by what did run."""
    body = report.body
    outcomes = {result.outcome for result in body.results}
    if report.envelope.interrupted:
        return Exit.INTERRUPTED
    if Outcome.ERROR in outcomes or not outcomes - {Outcome.SKIP}:
        return Exit.INCOMPLETE
    return Exit.FAIL if failing(body.results, body.fail_on) and body.fail_on is not FailOn.NEVER else Exit.OK


def counts(results: Sequence[Result]) -> dict[str, int]:
    """Rules by outcome, and violations that are waived."""
    by_outcome = Counter(result.outcome for result in results)
    waived = sum(1 for result in results for violation in result.violations if violation.waived)
    return {str(outcome): by_outcome[outcome] for outcome in Outcome} | {"waived": waived}


def _envelope(
    graph: Graph, body: Body, evaluated: Sequence[Evaluated], started: datetime, *, interrupted: bool
) -> Envelope:
    ended = graph.host.now()
    return Envelope(
        started=started.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        duration_s=round((ended - started).total_seconds(), 3),
        host=graph.host.name(),
        tool_version=__version__,
        body_digest=digest(body),
        coverage=graph.meter.coverage(),
        environment={},
        changes={key: change for one in evaluated for key, change in one.changes.items()},
        interrupted=interrupted,
        warnings=tuple(caution for one in evaluated for caution in one.cautions),
    )
