"""What verdicts, outcomes and changes mean, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from audit.records.report import Report
from audit.records.words import Change, FailOn, Outcome, Severity, Trigger, Verdict
from audit.sinks.html.text import count

OUTCOMES = {
    Outcome.FAIL: "Something is not what was recorded or declared, and it weighs error.",
    Outcome.ERROR: "The rule should have looked and could not, wholly or in part; what it did not see is unknown.",
    Outcome.WARN: "Something is not as declared, and it weighs a warning.",
    Outcome.PASS: "The rule looked, and all is as declared; notes and waived violations may stand beside it.",
    Outcome.SKIP: "There is nothing for the rule to look at here, or it was not its turn.",
}

CHANGES = {
    Change.EDITED: "size, times or inode moved since this machine last saw it",
    Change.ROTTED: "size, times and inode stayed, the bytes did not: the disk or a tool beneath the file system",
    Change.STALE: "what this machine remembered of it was already not what the disk holds",
    Change.DIFFERS: "never seen by this machine before",
}

TRIGGERS = {
    Trigger.COMMIT: "as the pre-commit hook",
    Trigger.LAUNCH: "before training",
    Trigger.NIGHTLY: "on schedule",
}


def meaning(report: Report) -> list[str]:
    """What the verdict of this report says, and why it is not more."""
    said = {
        Verdict.PASS: _passes,
        Verdict.FAIL: _fails,
        Verdict.INCOMPLETE: _incomplete,
    }[report.verdict]
    return list(said(report))


def _passes(report: Report) -> Iterator[str]:
    if report.body.fail_on is FailOn.NEVER and _count(report, Outcome.FAIL):
        yield f"{count(_count(report, Outcome.FAIL), 'rule')} found errors, but this audit was told never to fail."
        return
    yield f"Every rule that applies here could look, and nothing unwaived weighs {_threshold(report)}."


def _fails(report: Report) -> Iterator[str]:
    least = Severity.WARNING if report.body.fail_on is FailOn.WARNING else Severity.ERROR
    weighing = sum(
        one.waived is None and one.severity.weight >= least.weight for rule in report.results for one in rule.violations
    )
    found = f"{count(weighing, 'violation')} {'weighs' if weighing == 1 else 'weigh'} {_threshold(report)}"
    yield f"{found}: not everything is what was recorded or declared."


def _incomplete(report: Report) -> Iterator[str]:
    yield "Not everything was looked at, so this audit vouches for nothing as a whole."
    yield from _gaps(report)
    failed = _count(report, Outcome.FAIL)
    if failed:
        yield f"What could be looked at fails already: {count(failed, 'rule')}."


def _gaps(report: Report) -> Iterator[str]:
    blind = _count(report, Outcome.ERROR)
    if blind:
        yield f"{count(blind, 'rule')} should have looked and could not."
    if _idle(report):
        yield "No rule ran."
    if report.envelope.interrupted:
        yield "The audit was interrupted; what was found until then is shown."
    if report.body.selection:
        yield f"Only a part of the rules was selected: {_selection(report)}."


def again(report: Report) -> list[str]:
    """What an incomplete audit needs besides the repairs."""
    return list(_again(report)) if report.verdict is Verdict.INCOMPLETE else []


def _again(report: Report) -> Iterator[str]:
    if report.envelope.interrupted:
        yield "Run the audit again, and let it end."
    if report.body.selection:
        yield "Run the audit again without --select and --skip: a part never counts as a pass."
    if _idle(report):
        yield "Find out with `audit rules` why no rule ran."


def _idle(report: Report) -> bool:
    return all(result.outcome is Outcome.SKIP for result in report.results)


def _selection(report: Report) -> str:
    chosen = report.body.selection
    words = (("--select", chosen.select), ("--skip", chosen.skip))
    return ", ".join(f"{option} {name}" for option, names in words for name in names)


def _threshold(report: Report) -> str:
    return "warning or more" if report.body.fail_on is FailOn.WARNING else "error"


def _count(report: Report, outcome: Outcome) -> int:
    return report.body.counts.get(outcome, 0)
