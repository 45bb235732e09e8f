"""Differences between fingerprints, as a table on the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from audit.measures.fingerprints import Difference

SHOWN = 40
_WIDEST = 40
_DIGEST = re.compile(r"[0-9a-f]{40,}")


def show(files: Sequence[str], found: Sequence[Difference], *, everything: bool) -> None:
    """One line a difference: the field, its value in each, and why it matters."""
    from audit.records.text import plain

    if not found:
        click.echo(f"no difference between {' and '.join(files)}")
        return
    shown = found if everything else found[:SHOWN]
    rows = [["", *_names(files), ""], *([one.name, *map(_cell, one.values), one.why] for one in shown)]
    rows = [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())
    if len(found) > len(shown):
        click.echo(f"... and {len(found) - len(shown):,} more: --all shows them")


def _names(files: Sequence[str]) -> list[str]:
    """Each file by its name, by its path where names are the same."""
    names = [PurePath(file).name for file in files]
    return names if len(set(names)) == len(names) else list(files)


def _cell(value: object) -> str:
    """A value in the width of a column; of a digest its beginning."""
    said = "-" if value is None else str(value)
    if _DIGEST.fullmatch(said):
        return said[:12]
    return said if len(said) <= _WIDEST else f"{said[: _WIDEST - 3]}..."
