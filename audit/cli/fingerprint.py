"""`audit fingerprint`: what the environment is, as JSON or for people."""

from __future__ import annotations

from pathlib import Path

import click

from audit.cli._options import project_option


@click.command()
@project_option
@click.option("--json", "as_json", is_flag=True, help="JSON that is the same wherever the same is there.")
@click.option("-o", "output", type=click.Path(dir_okay=False), metavar="FILE", help="Write it, as JSON, to a file.")
@click.option("--imports/--no-imports", default=False, help="Ask frameworks for their builds by importing them.")
def command(project: str, output: str | None, *, as_json: bool, imports: bool) -> None:
    """Say what the project's environment is: interpreter, packages, system, driver, devices.

    `audit compare` shows what two of them differ in; `audit lock environment` records one in
    audit.lock, and the check env.fingerprint holds the environment against it.
    """
    from audit.comparing import taken
    from audit.formats.fingerprint import render, write
    from audit.host import publishing
    from audit.records.text import plain

    sections = taken(Path(project).resolve(), imports=imports)
    if output:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        publishing.write(Path(output), render(sections))
        click.echo(f"written: {output}", err=True)
    elif as_json:
        click.echo(render(sections), nl=False)
    else:
        said = write(sections)
        for name, part in said["sections"].items():
            click.echo(f"{name:9} {part['digest'][:16]}  {plain(_brief(name, part['fields']))}")
        click.echo(f"{'all':9} {said['digest'][:16]}")


def _brief(name: str, fields: dict[str, object]) -> str:
    """A few words on a section; packages are many."""
    if name == "packages":
        return f"{len(fields):,} packages"
    if name == "devices":
        return ", ".join(f"{count} x {card}" for card, count in fields.items()) or "none"
    if name in {"code", "data"}:
        return ", ".join(f"{key} {str(value)[:12]}" for key, value in fields.items()) or "nothing recorded"
    return ", ".join(f"{key} {value}" for key, value in fields.items() if value) or "nothing"
