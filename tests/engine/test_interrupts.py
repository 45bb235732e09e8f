"""Ctrl-C at any moment: what was found so far is told, and nothing passes that was not looked at."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date
from typing import ClassVar

import pytest
from support.engine import graph

from audit.config.load import load_config
from audit.engine.audit import Terms, audit, exit_code
from audit.records.check import Check, Request
from audit.records.findings import Finding, Violation
from audit.records.project import PlannedRule, Project
from audit.records.report import Selection
from audit.records.words import FailOn, Severity, Trigger


def press() -> None:
    """Ctrl-C: the main thread is interrupted where it is."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


class Presses(Request[int]):
    """Is interrupted while it is collected, and takes its time to notice."""

    def collect(self, ctx):
        ctx.get(Fact(value=1))
        press()
        while not ctx.cancelled():
            time.sleep(0.01)
        return 1


class Fact(Request[int]):
    value: int

    def collect(self, _):
        return self.value


class Finds(Check):
    """Finds something, unless its fact is never there; may be interrupted itself."""

    pressed: ClassVar[list[str]] = []
    fact: str = "there"
    where: str = ""

    def needs(self, _: Project) -> Mapping[str, Request[int]]:
        if self.where == "needs":
            self._press_once()
        return {"fact": Presses() if self.fact == "interrupted" else Fact(value=1)}

    def evaluate(self, fact: int) -> Iterator[Finding]:
        yield Violation(subject="s", kind="k", message="m", found=fact)
        if self.where == "evaluate":
            self._press_once()

    def _press_once(self):
        if not self.pressed:
            self.pressed.append(self.where)
            press()
            time.sleep(1)  # the interrupt comes meanwhile


@pytest.fixture(autouse=True)
def _unpressed():
    Finds.pressed.clear()


def rule(name, asks=None, skip=None):
    return PlannedRule(id=name, check="x.y", severity=Severity.ERROR, asks=asks, skip=skip)


def held(tmp_path, *rules):
    (tmp_path / "audit.yaml").write_text("version: 1\nrules: []\n")
    project = Project(root=str(tmp_path), name="p", trigger=Trigger.LAUNCH, rules=rules)
    terms = Terms(fail_on=FailOn.ERROR, selection=Selection(), as_of=date(2026, 11, 30))
    with closing(graph()) as facts:
        report, traces, _ = audit(facts, load_config(tmp_path), project, terms)
    assert traces == ()
    return report, {one.rule: (str(one.outcome), one.reason) for one in report.results}


FOUND = ("fail", None)
NOT_ANY_MORE = ("error", "interrupted before it was looked at")


def test_what_was_found_and_what_is_known_already_is_told(tmp_path):
    rules = [
        rule("before", Finds()),
        rule("cut", Finds(fact="interrupted")),
        rule("idle", skip="runs on nightly"),
        rule("after", Finds()),
    ]
    report, outcomes = held(tmp_path, *rules)
    assert outcomes == {
        "before": FOUND,
        "cut": NOT_ANY_MORE,
        "idle": ("skip", "runs on nightly"),
        "after": FOUND,
    }
    assert report.envelope.interrupted
    assert (report.verdict, exit_code(report)) == ("incomplete", 130)


@pytest.mark.parametrize("where", ["needs", "evaluate"])
def test_an_interrupt_of_the_judge_loses_no_rule(tmp_path, where):
    report, outcomes = held(
        tmp_path, rule("first", Finds()), rule("second", Finds(where=where)), rule("third", Finds())
    )
    assert list(outcomes) == ["first", "second", "third"]
    assert set(outcomes.values()) <= {FOUND, NOT_ANY_MORE}
    if where == "evaluate":
        assert set(outcomes.values()) == {FOUND}
    assert exit_code(report) == 130


class Impatient(Finds):
    """Is interrupted each time that it is judged."""

    def evaluate(self, fact: int) -> Iterator[Finding]:
        press()
        time.sleep(1)
        yield from super().evaluate(fact)


def test_the_second_interrupt_ends_it_at_once(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        held(tmp_path, rule("again", Impatient()))


class Broken(Request[int]):
    """Not even a key: a list has no hash."""

    values: list[int]


class Unasked(Check):
    def needs(self, _: Project) -> Mapping[str, Request[int]]:
        return {"fact": Broken(values=[1])}


def test_a_request_that_cannot_be_asked_is_the_fault_of_its_rule_alone(tmp_path):
    (tmp_path / "audit.yaml").write_text("version: 1\nrules: []\n")
    project = Project(
        root=str(tmp_path), name="p", trigger=Trigger.LAUNCH, rules=(rule("broken", Unasked()), rule("fine", Finds()))
    )
    terms = Terms(fail_on=FailOn.ERROR, selection=Selection(), as_of=date(2026, 11, 30))
    with closing(graph()) as facts:
        report, traces, _ = audit(facts, load_config(tmp_path), project, terms)
    assert [str(one.outcome) for one in report.results] == ["error", "fail"]
    assert "unhashable" in traces[0]
