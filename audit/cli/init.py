"""`audit init`: look at the project and write the `audit.yaml` that fits it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.cli._options import project_option
from audit.errors import AuditError, UsageError

if TYPE_CHECKING:
    from audit.proposal.propose import Proposal


@click.command()
@project_option
@click.option("--print", "to_screen", is_flag=True, help="Show the file instead of writing it.")
def command(project: str, *, to_screen: bool) -> None:
    """Look at the project and write its audit.yaml.

    Datasets and splits are found by their names, and each that nothing records yet gets a
    rule of its own. An audit.yaml that is there already is never overwritten.
    """
    from audit.proposal.propose import propose
    from audit.records.text import plain

    proposal = propose(Path(project), anew=to_screen)
    if to_screen:
        click.echo(proposal.text, nl=False)
        return
    _write(proposal)
    click.echo(f"{plain(str(proposal.file))}: {plain(proposal.told)}")
    click.echo(f"next: {proposal.next}")


def _write(proposal: Proposal) -> None:
    from audit.host import publishing

    try:
        publishing.create(proposal.file, proposal.text.encode())
    except FileExistsError:
        raise UsageError(f"{proposal.file} is there already", hint="it was not overwritten") from None
    except OSError as error:
        raise AuditError(
            f"cannot be written: {(error.strerror or str(error)).lower()}", where=str(proposal.file)
        ) from None
