"""Notes on the console: some of them, so that they crowd out nothing that weighs more."""

from __future__ import annotations

from support.reports import report, result, violation

from audit.records.words import Outcome, Severity, Verdict
from audit.sinks import text


def block(*violations: tuple[str, Severity]) -> list[str]:
    found = tuple(
        violation("r", "c.d", f"s{place}", kind, "m", severity=severity)
        for place, (kind, severity) in enumerate(violations)
    )
    shown = text.render(report(Verdict.FAIL, [result("r", "c.d", Outcome.FAIL, "said", violations=found)]))
    return [line.strip() for line in shown.partition("\n\n")[0].splitlines()[1:]]


def test_notes_of_many_kinds_are_told_as_one_group_behind_the_rest() -> None:
    notes = [(f"kind-{number}", Severity.NOTE) for number in range(8)]
    shown = block(*notes, ("changed", Severity.ERROR), ("late", Severity.WARNING))
    assert shown[:2] == ["x s8: m", "! s9: m"]
    assert shown[2:] == [*(f"- s{number}: m" for number in range(text.SHOWN)), "and 3 more notes"]
    assert block(*notes[:6])[-1] == "and 1 more note"


def test_errors_are_told_by_kind() -> None:
    errors = [("changed", Severity.ERROR)] * 7 + [("missing", Severity.ERROR)]
    assert block(*errors)[5:] == ["and 2 more of kind changed", "x s7: m"]
