"""What shows the violations of a rule: asked once it has judged, and never what decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pytest
from support.engine import graph

from audit.config.model import WaiverEntry
from audit.engine.evaluate import ALL_EXHIBITS_BYTES, Evaluated, Judge, judge, within_all
from audit.errors import Cancelled, MissingExtra
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Finding, Violation
from audit.records.project import PlannedRule, Project
from audit.records.report import ReportedViolation, Result
from audit.records.words import Outcome, Severity, Trigger


class Shown(Request[tuple[Exhibit, ...]]):
    """Names the subjects; or fails in the way that the first of them says."""

    subjects: tuple[str, ...]

    def collect(self, ctx):
        raised = {"extra": MissingExtra("audio", "soundfile"), "interrupt": Cancelled("stop"), "bug": KeyError("oops")}
        if self.subjects[0] in raised:
            raise raised[self.subjects[0]]
        if self.subjects[0] == "huge":
            return (Exhibit(type="text", title="t", data={"text": "x" * 70_000}),)
        return None if self.subjects[0] == "nothing" else (text(",".join(self.subjects)),)


class Showing(Check):
    """Finds fault with these subjects, and shows them."""

    subjects: tuple[str, ...] = ()

    def needs(self, project: Project) -> Mapping[str, Request[int]]:
        return {}

    def evaluate(self) -> Iterator[Finding]:
        yield from (Violation(subject=one, kind="k", message="m") for one in self.subjects)
        yield text("of its own")

    def illustrates(
        self, project: Project, violations: Sequence[ReportedViolation]
    ) -> Request[tuple[Exhibit, ...]] | None:
        assert violations, "nothing to show"
        if violations[0].subject == "needless":
            raise RuntimeError("cannot even say what it would show")
        return Shown(subjects=tuple(one.subject for one in violations))


def text(words: str) -> Exhibit:
    return Exhibit(type="text", title="t", data={"text": words})


def judged(*subjects: str, waived: str = "") -> Evaluated:
    rule = PlannedRule(id="r", check="x.y", severity=Severity.ERROR, asks=Showing(subjects=subjects))
    project = Project(root="/", name="p", trigger=Trigger.LAUNCH, rules=(rule,))
    waiver = WaiverEntry(rule="r", subject=waived, reason="known", author="data team", expires="2026-12-31")
    return judge(graph(), rule, Judge(project=project, waivers=(waiver,) if waived else (), as_of="2026-11-30"))


def texts(result: Result) -> list[str]:
    return [one.data["text"] for one in result.exhibits]


def test_what_shows_the_violations_stands_behind_the_exhibits_of_the_check():
    assert texts(judged("b", "a").result) == ["of its own", "a,b"]


def test_what_is_waived_is_not_shown():
    assert texts(judged("a", "b", waived="a").result) == ["of its own", "b"]
    assert texts(judged("a", waived="a").result) == ["of its own"]


def test_without_violations_nothing_is_asked():
    assert texts(judged().result) == ["of its own"]


@pytest.mark.parametrize("how", ["extra", "bug", "needless", "nothing"])
def test_what_cannot_be_shown_changes_nothing_but_the_envelope(how):
    evaluated = judged(how)
    assert (evaluated.result.outcome, texts(evaluated.result)) == (Outcome.FAIL, ["of its own"])
    (caution,) = evaluated.cautions
    assert caution.startswith("r: what it found is not shown in pictures: ")
    assert (evaluated.trace is None) == (how == "extra")


def test_the_word_on_a_missing_extra_says_what_to_install():
    assert judged("extra").cautions[0].endswith("soundfile is not installed (pip install 'reproaudit[audio]')")


def test_an_interrupt_says_nothing_of_pictures():
    assert judged("interrupt").cautions == ()


def test_what_shows_is_bounded_as_all_exhibits_are():
    assert texts(judged("huge").result)[1] == "left out: 70,011 bytes, more than 65,536"


def test_a_name_that_is_not_utf_8_is_evidence_too():
    assert texts(judged("b\udcff.wav").result)[1] == "b\udcff.wav"


def test_exhibits_are_bounded_in_all_in_the_order_of_the_plan():
    result = msgspec.structs.replace(judged("a").result, exhibits=(text("x" * 60_000),))
    kept = list(within_all([result] * 34))
    left_out = [one for one in kept if texts(one)[0].startswith("left out: more than 2,000,000 bytes in all")]
    assert sum(len(msgspec.json.encode(one.exhibits[0].data)) for one in kept) <= ALL_EXHIBITS_BYTES + 100
    assert left_out == kept[33:]
