"""Outcomes, verdicts, exit codes and waivers, from literal facts."""

from collections.abc import Iterator, Mapping
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engine import graph

from audit.config.model import WaiverEntry
from audit.engine.audit import Terms, exit_code, failing, verdict
from audit.engine.evaluate import Judge, finite, judge, start
from audit.engine.waivers import states
from audit.errors import CannotLook, NotApplicable
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Figure, Finding, Violation, key
from audit.records.project import PlannedRule, Project
from audit.records.report import Body, Coverage, Envelope, Report, Selection
from audit.records.words import Change, FailOn, Outcome, Severity, Trigger, Verdict


class Given(Request[int]):
    value: int

    def collect(self, ctx):
        if self.value < 0:
            raise CannotLook("no such thing", where="here", hint="make it")
        return self.value


class Judged(Check):
    """Yields what it is told to."""

    says: tuple[str, ...] = ()
    value: int = 1

    def needs(self, project: Project) -> Mapping[str, Request[int]]:
        if "needless" in self.says:
            raise RuntimeError("cannot even say what it needs")
        return {"value": Given(value=self.value)}

    def evaluate(self, value: int) -> Iterator[Finding]:
        for word in self.says:
            if word == "skip":
                raise NotApplicable("nothing of the kind")
            if word == "bug":
                raise ZeroDivisionError("oops")
            if word == "unseen":
                yield Violation(subject="u", kind="unreadable", message="no permission", unseen=True)
            elif word in set(Severity):
                yield Violation(
                    subject=f"s-{word}", kind="k", message="m", severity=Severity(word), repair=f"mend {word}"
                )
        yield Figure(name="ratio", value=1 / 3)
        yield Figure(name="odd", value=float("nan"))
        yield Exhibit(type="text", title="t", data={"text": "x" * (70_000 if "huge" in self.says else 3)})


WAIVER = WaiverEntry(rule="r", subject="s-error", reason="known", author="data team", expires="2026-12-31")


def judged(*says, severity=Severity.ERROR, waivers=(), as_of="2026-11-30", value=1):
    rule = PlannedRule(id="r", check="x.y", severity=severity, asks=Judged(says=says, value=value))
    project = Project(root="/", name="p", trigger=Trigger.LAUNCH, rules=(rule,))
    facts = graph()
    start(facts, project)
    return judge(facts, rule, Judge(project=project, waivers=tuple(waivers), as_of=as_of))


@pytest.mark.parametrize(
    ("says", "outcome"),
    [
        ((), Outcome.PASS),
        (("note",), Outcome.PASS),
        (("warning",), Outcome.WARN),
        (("note", "warning", "error"), Outcome.FAIL),
        (("error", "unseen"), Outcome.ERROR),
        (("skip",), Outcome.SKIP),
        (("bug",), Outcome.ERROR),
        (("needless",), Outcome.ERROR),
    ],
)
def test_the_heaviest_violation_decides(says, outcome):
    assert judged(*says).result.outcome is outcome


def test_what_could_not_be_collected_is_an_error_with_place_and_next_step():
    result = judged(value=-1).result
    assert (result.outcome, result.reason, result.repair) == (Outcome.ERROR, "here: no such thing", "make it")


def test_a_fault_of_ours_is_an_error_of_its_rule_with_a_trace():
    evaluated = judged("bug")
    assert "ZeroDivisionError: oops" in evaluated.result.reason
    assert "evaluate" in evaluated.trace


def test_a_rule_caps_what_its_check_says():
    result = judged("error", severity=Severity.WARNING).result
    assert (result.outcome, result.violations[0].severity) == (Outcome.WARN, Severity.WARNING)


def test_findings_land_in_their_places():
    result = judged("error", "warning").result
    assert result.figures == {"ratio": 0.333333333333, "odd": "not computable (nan)"}
    assert [violation.subject for violation in result.violations] == ["s-error", "s-warning"]
    assert result.violations[0].key == key("r", "x.y", "s-error", "k")
    assert result.repair == "mend error\nmend warning"


def test_an_exhibit_too_large_says_so_instead():
    assert "left out: 70,0" in judged("huge").result.exhibits[0].data["text"]


def test_a_waiver_takes_the_weight_and_stays_visible():
    result = judged("error", waivers=[WAIVER]).result
    assert result.outcome is Outcome.PASS
    assert result.violations[0].waived == "known (data team, until 2026-12-31)"


_ANY_WAIVER = st.builds(
    WaiverEntry,
    rule=st.sampled_from(["r", "q"]),
    subject=st.sampled_from(["s-error", "s-warning", "s-note", "s-unseen", "glob:s-*", "glob:*", "nothing"]),
    reason=st.just("known"),
    author=st.just("data team"),
    expires=st.sampled_from(["2026-11-29", "2026-11-30", "2027-01-01"]),
    kind=st.sampled_from([None, "k", "other"]),
)


@given(
    says=st.lists(st.sampled_from(["note", "warning", "error", "unseen"]), unique=True),
    waivers=st.lists(_ANY_WAIVER, max_size=4),
)
def test_waivers_never_add_a_violation_nor_weigh_more(says, waivers):
    plain, waived = judged(*says).result, judged(*says, waivers=waivers).result
    assert [(one.subject, one.kind, one.key) for one in waived.violations] == [
        (one.subject, one.kind, one.key) for one in plain.violations
    ]
    order = [Outcome.PASS, Outcome.WARN, Outcome.FAIL, Outcome.ERROR]
    assert order.index(waived.outcome) <= order.index(plain.outcome)
    assert (waived.outcome is Outcome.ERROR) == (plain.outcome is Outcome.ERROR)


@pytest.mark.parametrize(
    ("change", "outcome", "state"),
    [
        ({}, Outcome.PASS, "active"),
        ({"subject": "glob:s-*"}, Outcome.PASS, "active"),
        ({"subject": "s-erro*"}, Outcome.FAIL, "unused"),
        ({"kind": "k"}, Outcome.PASS, "active"),
        ({"kind": "other"}, Outcome.FAIL, "unused"),
        ({"expires": "2026-11-29"}, Outcome.FAIL, "expired"),
        ({"expires": "2026-11-30"}, Outcome.PASS, "active"),
    ],
)
def test_a_waiver_covers_what_it_says_until_it_expires(change, outcome, state):
    import msgspec

    waiver = msgspec.structs.replace(WAIVER, **change)
    result = judged("error", waivers=[waiver]).result
    assert result.outcome is outcome
    assert [one.state for one in states([waiver], [result], "2026-11-30")] == [state]


def test_a_waiver_never_makes_up_for_not_looking():
    import msgspec

    waiver = msgspec.structs.replace(WAIVER, subject="glob:*")
    assert judged("unseen", waivers=[waiver]).result.outcome is Outcome.ERROR


WORDS = st.lists(st.sampled_from([*Severity, "unseen"]), max_size=4, unique=True)


@given(WORDS, st.lists(st.sampled_from(["s-error", "s-warning", "glob:*", "none"]), max_size=3))
def test_a_waiver_never_adds_to_the_weight(says, subjects):
    import msgspec

    plain = judged(*says).result
    waived = judged(*says, waivers=[msgspec.structs.replace(WAIVER, subject=subject) for subject in subjects]).result
    order = [Outcome.PASS, Outcome.WARN, Outcome.FAIL, Outcome.ERROR]
    assert order.index(waived.outcome) <= order.index(plain.outcome)
    assert len(waived.violations) == len(plain.violations)


def result(outcome, severity=None, waived=None):
    import msgspec

    made = judged(*([severity] if severity else [])).result
    violations = tuple(msgspec.structs.replace(one, waived=waived) for one in made.violations)
    return msgspec.structs.replace(made, outcome=Outcome(outcome), violations=violations)


def report(results, fail_on="error", selection=(), *, interrupted=False):
    terms = Terms(fail_on=FailOn(fail_on), selection=Selection(select=tuple(selection)), as_of=date(2026, 11, 30))
    body = Body(
        project="p",
        trigger=Trigger.LAUNCH,
        as_of="2026-11-30",
        rules_digest="",
        fail_on=terms.fail_on,
        selection=terms.selection,
        verdict=verdict(results, terms),
        counts={},
        results=tuple(results),
    )
    envelope = Envelope(
        started="",
        duration_s=0,
        host="",
        tool_version="",
        body_digest="",
        coverage=Coverage(),
        environment={},
        changes={"0" * 16: Change.EDITED},
        interrupted=interrupted,
    )
    return Report(body=body, envelope=envelope)


@pytest.mark.parametrize(
    ("results", "options", "expected", "code"),
    [
        ([result("pass")], {}, Verdict.PASS, 0),
        ([result("pass"), result("skip")], {}, Verdict.PASS, 0),
        ([result("fail", "error")], {}, Verdict.FAIL, 1),
        ([result("warn", "warning")], {}, Verdict.PASS, 0),
        ([result("warn", "warning")], {"fail_on": "warning"}, Verdict.FAIL, 1),
        ([result("fail", "error")], {"fail_on": "never"}, Verdict.FAIL, 0),
        ([result("error")], {"fail_on": "never"}, Verdict.INCOMPLETE, 3),
        ([result("fail", "error"), result("error")], {}, Verdict.INCOMPLETE, 3),
        ([], {}, Verdict.INCOMPLETE, 3),
        ([result("skip")], {}, Verdict.INCOMPLETE, 3),
        ([result("pass")], {"selection": ["r"]}, Verdict.INCOMPLETE, 0),
        ([result("fail", "error")], {"selection": ["r"]}, Verdict.INCOMPLETE, 1),
        ([result("pass", "error", waived="known")], {}, Verdict.PASS, 0),
        ([result("pass")], {"interrupted": True}, Verdict.PASS, 130),
    ],
)
def test_verdicts_and_exit_codes(results, options, expected, code):
    made = report(results, **options)
    assert (made.verdict, exit_code(made)) == (expected, code)


def test_failing_counts_only_what_is_not_waived():
    assert not failing([result("pass", "error", waived="known")], FailOn.ERROR)


@given(st.floats())
def test_figures_are_finite(number):
    value = finite(number)
    assert isinstance(value, str) or abs(value - number) <= abs(number) * 1e-11
