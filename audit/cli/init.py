"""`audit init`: look at the project and write the `audit.yaml` that fits it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("-C", "project", metavar="DIR", default=".", help="The project's folder (here, if left out).")
@click.option("--print", "to_screen", is_flag=True, help="Show the file instead of writing it.")
def command(project: str, *, to_screen: bool) -> None:
    """Look at the project and write an audit.yaml with the rules that apply.

    Datasets and splits are found by their names; an audit.yaml that is there already is
    never overwritten.
    """
    from audit.api import propose
    from audit.host import publishing
    from audit.records.text import plain

    proposal = propose(Path(project), anew=to_screen)
    if to_screen:
        click.echo(proposal.text, nl=False)
        return
    publishing.create(proposal.file, proposal.text.encode())
    click.echo(f"{plain(str(proposal.file))}: {plain(proposal.told)}")
    click.echo("next: `audit rules` shows what would run, `audit run` runs it")
