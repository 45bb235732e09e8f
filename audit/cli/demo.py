"""`audit demo`: see the tool find planted faults in a small real project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.errors import Exit
from audit.records.words import Outcome, Severity

if TYPE_CHECKING:
    from audit.demo.faults import Fault
    from audit.records.report import Report


@click.command()
@click.argument("folder", default="audit-demo", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Make a small project, plant faults in it, and audit it.

    The project in FOLDER (audit-demo, if left out) is under Git and DVC, with a remote
    beside it. The exit code is 0 when the audit found every planted fault and nothing
    else.
    """
    from audit.api import Settings, deliver, hold
    from audit.cli._colour import wants_colour
    from audit.demo.faults import plant
    from audit.demo.project import make, possible
    from audit.records.text import plain
    from audit.sinks import text

    possible(folder)
    click.echo(f"making a project under Git and DVC in {plain(str(folder))} ...")
    project = make(folder).resolve()
    faults = plant(project)
    click.echo(f"planted {len(faults)} faults:")
    for fault in faults:
        click.echo(f"  - {fault.told}")
    click.echo(f"\nauditing it, as `audit run -C {plain(str(folder / 'project'))}` does:\n")
    report = hold(project, Settings()).report
    published = deliver(report, project, None, "off")
    page = str(published.folder / "report.html") if published.folder else ""
    click.echo(text.render(report, text.Style(colour=wants_colour()), page=page), nl=False)
    return _compared(faults, report)


def _compared(faults: Sequence[Fault], report: Report) -> int:
    """Say whether the audit named what was planted, and that alone."""
    planted = {(fault.rule, fault.subject) for fault in faults}
    named = {
        (result.rule, violation.subject)
        for result in report.results
        for violation in result.violations
        if violation.severity is not Severity.NOTE
    }
    unseen = [result.rule for result in report.results if result.outcome is Outcome.ERROR]
    if named == planted and not unseen:
        click.echo(f"\nall {len(planted)} planted faults were found, and nothing else")
        return Exit.OK
    for rule, subject in sorted(planted - named):
        click.echo(f"not found: {rule}: {subject}", err=True)
    for rule, subject in sorted(named - planted):
        click.echo(f"not planted: {rule}: {subject}", err=True)
    for rule in unseen:
        click.echo(f"not looked at: {rule}", err=True)
    return Exit.FAIL
