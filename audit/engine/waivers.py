"""Waivers: written, dated exceptions. They are counted and shown, expired and unused ones too."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from audit.config.model import WaiverEntry
from audit.records.report import ReportedViolation, Result, WaiverState


def covering(waivers: Sequence[WaiverEntry], rule: str, violation: ReportedViolation, as_of: str) -> WaiverEntry | None:
    """The first waiver in force that covers the violation of the rule."""
    return next((waiver for waiver in waivers if waiver.expires >= as_of and _matches(waiver, rule, violation)), None)


def _matches(waiver: WaiverEntry, rule: str, violation: ReportedViolation) -> bool:
    return (
        waiver.rule in {rule, rule.partition("[")[0]}
        and waiver.kind in {None, violation.kind}
        and _subject_matches(waiver.subject, violation.subject)
    )


def _subject_matches(said: str, subject: str) -> bool:
    """To the letter, or after `glob:` as a shell pattern in which `*` also crosses folders."""
    return fnmatchcase(subject, said.removeprefix("glob:")) if said.startswith("glob:") else said == subject


def states(waivers: Sequence[WaiverEntry], results: Sequence[Result], as_of: str) -> tuple[WaiverState, ...]:
    """What became of each waiver: `active`, `expired`, or `unused` since nothing needs it any more."""
    return tuple(_state(waiver, results, as_of) for waiver in waivers)


def _state(waiver: WaiverEntry, results: Sequence[Result], as_of: str) -> WaiverState:
    matched = sum(_matches(waiver, result.rule, violation) for result in results for violation in result.violations)
    expired = waiver.expires < as_of
    return WaiverState(
        rule=waiver.rule,
        subject=waiver.subject,
        kind=waiver.kind,
        reason=waiver.reason,
        author=waiver.author,
        expires=waiver.expires,
        state="expired" if expired else "active" if matched else "unused",
        covers=0 if expired else matched,
    )
