"""What commands print: lists in columns for people, JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click


def show_json(value: Any) -> None:
    """The plain value as JSON, the only thing on standard output; names that are no Unicode are spelled out."""
    from audit.records.report import printable

    click.echo(json.dumps(printable(value), indent=2, ensure_ascii=False))


def hush() -> None:
    """Whoever read our output is gone: say nothing more, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_lists(lists: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
    """Titled lists of words and what they mean, as wide as the terminal; empty ones are left out."""
    from audit.records.text import plain

    page = click.get_current_context().make_formatter()
    for title, rows in lists:
        if rows:
            with page.section(plain(title)):
                page.write_dl([(plain(word), plain(meaning)) for word, meaning in rows], col_max=40)
    click.echo(page.getvalue().strip("\n"))
