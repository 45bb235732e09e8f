"""`audit compare`: what fingerprints differ in."""

from __future__ import annotations

from pathlib import Path

import click

from audit.errors import Exit


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="A B [C...]", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="Show every difference.  [default: the first 40]")
def command(files: tuple[str, ...], *, everything: bool) -> int:
    """Show what environments differ in, likeliest to change a result first.

    A, B, ... are files that `audit fingerprint -o` wrote, or audit.lock files that record an
    environment (`audit lock environment`).

    Exit codes: 0 no difference; 1 they differ; 2 wrong usage, or a file that is none.
    """
    from audit.cli._compared import show
    from audit.comparing import read
    from audit.measures.fingerprints import differences

    if len(files) == 1:
        raise click.UsageError("one file cannot be compared: name at least two")
    many = [read(Path(file)) for file in files]
    found = differences(many)
    show(files, found, everything=everything)
    return Exit.FAIL if found else Exit.OK
