"""The report on a terminal, in one screen: what must be done first, then one line a family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from audit.records.report import Coverage, Report, ReportedViolation, Result
from audit.records.text import plain
from audit.records.words import Change, Outcome, Severity, Verdict

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "dim": 2, "bold": 1}
_SIGNS = {
    Outcome.FAIL: ("FAIL ", "red"),
    Outcome.ERROR: ("ERROR", "red"),
    Outcome.WARN: ("WARN ", "yellow"),
    Outcome.PASS: ("pass ", "green"),
    Outcome.SKIP: ("skip ", "dim"),
}
_MARKS = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.NOTE: "-"}
_UNSEEN = "?"
"""What could not be looked at, and so makes its rule `error`, whatever it weighs."""

_MEANING = {
    Verdict.PASS: ("PASS", "green", "everything is as recorded"),
    Verdict.FAIL: ("FAIL", "red", "something is not as recorded"),
    Verdict.INCOMPLETE: ("INCOMPLETE", "yellow", "something was not looked at"),
}
_ORDER = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.WARN: 2}
_CHANGES = {
    Change.EDITED: "edited since it was last read",
    Change.ROTTED: "not touched since it was last read, yet its bytes changed",
    Change.STALE: "this machine remembered other bytes than the disk holds",
}
SHOWN = 5
"""Violations shown of one kind in one rule; the report's page has them all."""


class Style(NamedTuple):
    """How the terminal wants it."""

    colour: bool = False

    def paint(self, text: str, *names: str) -> str:
        """The text in these colours, if there are any."""
        if not self.colour:
            return text
        return f"\033[{';'.join(str(_COLOURS[name]) for name in names)}m{text}\033[0m"


def render(report: Report, style: Style = Style(), *, page: str = "") -> str:
    """The report as text. `page` is where the full one can be read."""
    told = [one for one in report.results if one.outcome in _ORDER or any(each.waived for each in one.violations)]
    told.sort(key=lambda one: _ORDER.get(one.outcome, len(_ORDER)))
    blocks = [line for one in told for line in _block(one, report, style)]
    lines = [*blocks, *_waivers(report, style), *_families(report.results, style), "", *_ending(report, style, page)]
    return "\n".join(lines) + "\n"


def _block(result: Result, report: Report, style: Style) -> Iterator[str]:
    word, colour = _SIGNS[result.outcome]
    yield f"{style.paint(word, colour, 'bold')} {style.paint(plain(result.rule), 'bold')}  {_line(result.summary)}"
    for group in _by_kind(result.violations):
        for violation in group[:SHOWN]:
            yield _violation(violation, report, style)
        if len(group) > SHOWN:
            yield style.paint(f"        and {len(group) - SHOWN:,} more {_of_what(group)}", "dim")
    if result.repair:
        yield from _repair(result.repair, style)
    yield ""


def _by_kind(violations: Sequence[ReportedViolation]) -> list[list[ReportedViolation]]:
    """Grouped by weight and kind, first what could not be looked at; all notes are one group and crowd out nothing."""
    ordered = sorted(violations, key=lambda one: (not one.unseen, -one.severity.weight, one.kind))
    return [list(group) for _, group in groupby(ordered, key=_group)]


def _group(violation: ReportedViolation) -> tuple[bool, Severity, str]:
    is_note = violation.severity is Severity.NOTE and not violation.unseen
    return violation.unseen, violation.severity, "" if is_note else violation.kind


def _of_what(group: Sequence[ReportedViolation]) -> str:
    one = group[0]
    if one.severity is Severity.NOTE:
        return "notes" if len(group) > SHOWN + 1 else "note"
    return f"of kind {plain(one.kind)}"


def _violation(violation: ReportedViolation, report: Report, style: Style) -> str:
    change = report.envelope.changes.get(violation.key)
    tail = f" ({_CHANGES[change]})" if change in _CHANGES else ""
    if violation.waived:
        tail += f" waived: {violation.waived}"
    red = violation.unseen or violation.severity is Severity.ERROR
    mark = style.paint(_UNSEEN if violation.unseen else _MARKS[violation.severity], "red" if red else "yellow")
    return f"      {mark} {_line(violation.subject)}: {_line(violation.message)}{style.paint(_line(tail), 'dim')}"


def _repair(repair: str, style: Style) -> Iterator[str]:
    first, *rest = plain(repair).split("\n")
    yield f"      {style.paint('repair:', 'cyan')} {first}"
    for line in rest[: SHOWN - 1]:
        yield f"              {line}"
    if len(rest) >= SHOWN:
        yield style.paint(f"              and {len(rest) - SHOWN + 1} more", "dim")


def _families(results: Sequence[Result], style: Style) -> Iterator[str]:
    for family, group in _grouped(results):
        counts = [(outcome, sum(one.outcome is outcome for one in group)) for outcome in Outcome]
        told = ", ".join(style.paint(f"{count} {outcome}", _SIGNS[outcome][1]) for outcome, count in counts if count)
        passed = [one.summary for one in group if one.outcome is Outcome.PASS]
        note = "" if any(one.outcome in _ORDER for one in group) else _fitting(dict.fromkeys(map(_line, passed)))
        yield f"{plain(family):<8} {told}{style.paint(f'  {note}', 'dim') if note else ''}"


def _grouped(results: Iterable[Result]) -> Iterator[tuple[str, list[Result]]]:
    families: dict[str, list[Result]] = {}
    for result in results:
        families.setdefault(result.check.partition(".")[0], []).append(result)
    yield from families.items()


def _waivers(report: Report, style: Style) -> Iterator[str]:
    """Waivers that cover nothing any more: whoever wrote them wants to know."""
    idle = [one for one in report.body.waivers if one.state != "active"]
    for waiver in idle:
        what = f"expired on {waiver.expires}" if waiver.state == "expired" else "covers nothing"
        subject = f"{_line(waiver.rule)}: {_line(waiver.subject)}"
        yield f"{style.paint('waiver', 'yellow')} {what}: {subject} ({_line(waiver.reason)}, {_line(waiver.author)})"
    if idle:
        yield ""


def _ending(report: Report, style: Style, page: str) -> Iterator[str]:
    word, colour, _ = _MEANING[report.verdict]
    yield f"{style.paint(word, colour, 'bold')}  {_meaning(report)}"
    yield style.paint(f"{_covered(report.envelope.coverage)} in {report.envelope.duration_s:.1f} s", "dim")
    if page:
        yield f"report: {plain(page)}"


def _meaning(report: Report) -> str:
    """What the verdict says, and what it leaves unsaid."""
    counts, meaning = report.body.counts, _MEANING[report.verdict][2]
    if report.envelope.interrupted:
        return "interrupted: only a part was looked at"
    if report.body.selection:
        return "only a part of the rules was selected"
    if report.verdict is Verdict.INCOMPLETE and counts.get("fail"):
        return f"{meaning}; {_count(counts['fail'], 'rule fails', 'rules fail')} already"
    if report.verdict is not Verdict.PASS or not (counts.get("warn") or counts.get("waived")):
        return meaning
    warned = [_count(counts["warn"], "rule warns", "rules warn")] if counts.get("warn") else []
    waived = [f"{counts['waived']:,} waived"] if counts.get("waived") else []
    return f"nothing weighs an error; {', '.join([*warned, *waived])}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _covered(coverage: Coverage) -> str:
    parts = [f"{_count(coverage.files_read, 'file', 'files')} read ({size(coverage.bytes_read)})"]
    if coverage.bytes_read and not coverage.files_read:
        parts = [f"{size(coverage.bytes_read)} read, no file to its end"]
    if coverage.files_trusted:
        parts.append(f"{coverage.files_trusted:,} trusted from the last read")
    if coverage.files_unread:
        parts.append(f"{coverage.files_unread:,} not looked at")
    return ", ".join(parts)


def size(count: float) -> str:
    """A number of bytes for people, in binary units."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:  # noqa: PLR2004 - the next unit
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def _line(text: str) -> str:
    """One line, whatever the project put into it."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def _fitting(notes: Iterable[str], limit: int = 100) -> str:
    """As many whole notes as fit on a line."""
    told, left = "", list(notes)
    while left and len(told) + len(left[0]) <= limit:
        told += f"{'; ' if told else ''}{left.pop(0)}"
    return f"{told}; ..." if told and left else told
