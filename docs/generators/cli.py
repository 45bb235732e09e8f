"""docs/cli.md: the `--help` of every command, as a terminal of 80 columns shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from click import Context
from click.testing import CliRunner

from audit.cli.main import app

PAGE = "docs/cli.md"
HEAD = """\
# Commands

Every command ends with one of the [exit codes](exit-codes.md). `audit completion SHELL`
prints what lets bash, zsh or fish complete commands, options, checks and rules.
"""


def pages(_: Path) -> dict[str, bytes]:
    """The one page."""
    return {PAGE: "\n".join([HEAD, *sections()]).encode()}


def sections() -> Iterator[str]:
    """The program, then its commands."""
    yield told("audit")
    for name in app.list_commands(Context(app)):
        yield told("audit", name)


def told(*words: str) -> str:
    """What a command says of itself."""
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words[1:], "--help"], prog_name="audit")
    return f"## {' '.join(words)}\n\n```text\n{shown.stdout.rstrip()}\n```\n"
