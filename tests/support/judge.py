"""What a check says of a real project: its facts collected by the engine's own graph, its judgement taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from support.engine import NothingRemembered

from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.host import Host
from audit.records.check import Check
from audit.records.door import Door
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Trigger


class Judgement(NamedTuple):
    """What a check yielded."""

    findings: list[Finding]

    @property
    def violations(self) -> list[Violation]:
        """The violations, in their order."""
        return [each for each in self.findings if isinstance(each, Violation)]

    @property
    def kinds(self) -> dict[str, set[str]]:
        """The kinds of violation of each subject."""
        kinds: dict[str, set[str]] = {}
        for each in self.violations:
            kinds.setdefault(each.subject, set()).add(each.kind)
        return kinds

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by name."""
        return {each.name: each.value for each in self.findings if isinstance(each, Figure)}

    @property
    def summary(self) -> str:
        """The one sentence."""
        return next(each.text for each in self.findings if isinstance(each, Summary))


def judge(check: Check, root: Path, *, host: Door | None = None, deep: bool = False) -> Judgement:
    """Collect what the check needs in the project at `root`, and let it judge."""
    graph = Graph(host or Host(), NothingRemembered(), Meter(), 2, deep=deep)
    try:
        needs = check.needs(Project(root=str(root), name="project", trigger=Trigger.LAUNCH))
        return Judgement(list(check.evaluate(**{name: graph.get(request) for name, request in needs.items()})))
    finally:
        graph.close()
