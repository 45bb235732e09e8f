"""A check on a real folder, without configuration, plan and report: facts collected, and what it finds in them."""

from collections.abc import Iterable
from pathlib import Path

from support.engine import graph

from audit.records.check import Check
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Trigger


def project(root: Path) -> Project:
    return Project(root=str(root.resolve()), name="p", trigger=Trigger.LAUNCH)


def judge(check: Check, root: Path) -> list[Finding]:
    """What the check finds; raises what its outcome would be where that is no finding."""
    facts, asked = graph(), check.needs(project(root))
    return list(check.evaluate(**{name: facts.get(request) for name, request in asked.items()}))


def covered(check: Check, root: Path) -> tuple[str, ...]:
    """The paths that the check says it verifies."""
    request = check.covers(project(root))
    return graph().get(request).paths if request else ()


def violations(found: Iterable[Finding]) -> list[Violation]:
    return sorted((one for one in found if isinstance(one, Violation)), key=lambda one: (one.subject, one.kind))


def named(found: Iterable[Finding]) -> list[tuple[str, str]]:
    """Subject and kind of each violation."""
    return [(one.subject, one.kind) for one in violations(found)]


def figures(found: Iterable[Finding]) -> dict[str, int | float | str]:
    return {one.name: one.value for one in found if isinstance(one, Figure)}


def summary(found: Iterable[Finding]) -> str:
    return next(one.text for one in found if isinstance(one, Summary))
