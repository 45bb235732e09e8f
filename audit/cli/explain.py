"""`audit explain CHECK`: its page in the terminal."""

from __future__ import annotations

import sys

import click

from audit.cli._options import check_argument

_WIDTH = 100  # columns; longer lines are hard to read


@click.command()
@check_argument
def command(check: str) -> None:
    """Show the page of a check.

    It says what the check does and why it matters, with an example and how to fix. Where
    the output is no terminal, the page is Markdown.
    """
    from audit.config.page import markdown

    page = markdown(check)
    if sys.stdout.isatty():
        _render(page)
    else:
        click.echo(page, nl=False)


def _render(page: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(page), width=min(console.width, _WIDTH))
