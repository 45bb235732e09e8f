"""`audit lock`: write down what is, or compare what is with what was written down."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audit.cli._options import section_names
from audit.errors import CannotLook, Exit

if TYPE_CHECKING:
    from audit.locking import Difference, Looked

_SHOWN = 50
_LONGEST = 64  # of what is written for one value: a BLAKE3
_BEGINNING = 20


@click.command()
@click.argument("section", nargs=-1, metavar="[SECTION...]", shell_complete=section_names)
@click.option("-C", "project", metavar="DIR", default=".", help="The project's folder (here, if left out).")
@click.option("--check", is_flag=True, help="Write nothing; say what differs.")
@click.option("--deep", is_flag=True, help="Read everything, trust no remembered digest.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Workers.  [default: the processors]")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(**words: Any) -> int:
    """Write down in audit.lock what the project holds.

    Rules compare it with what is there later, and so can colleagues with --check.
    The SECTIONs named are written and the others stay as they are: `data` holds the
    digest of every file of the declared datasets; `profiles`, what the tables among them
    look like; `environment`, the fingerprint of interpreter, packages and devices. If
    none is named, all are, and `environment` if the file has one. With --check, those named (all that the file has, if
    none is) are compared with what is there now.

    Exit codes: 0 written, or all as locked; 1 --check found a difference; 2 wrong usage
    or configuration; 3 something could not be looked at, nothing was written; 130
    interrupted.
    """
    from audit.config.load import project_root

    root = project_root(words["project"])
    try:
        return _check(root, words) if words["check"] else _write(root, words)
    except CannotLook as error:
        error.exit = Exit.INCOMPLETE
        raise


def _write(root: Path, words: dict[str, Any]) -> int:
    from audit import locking

    looked = _look(root, words["section"], words)
    changed = locking.write(root, looked.found)
    click.echo(f"audit.lock {'written' if changed else 'unchanged'}: {', '.join(sorted(looked.found))}")
    return Exit.OK


def _check(root: Path, words: dict[str, Any]) -> int:
    from audit import locking

    looked = _look(root, locking.to_compare(root, words["section"]), words)
    found = locking.differences(looked)
    _tell(_line(one) for one in found[:_SHOWN])
    names = ", ".join(sorted(looked.found))
    if not found:
        click.echo(f"audit.lock: as locked: {names}")
        return Exit.OK
    more = f", {len(found) - _SHOWN:,} of them not shown" if len(found) > _SHOWN else ""
    places = f"{len(found):,} place{'s' if len(found) > 1 else ''}"
    again = " ".join(sorted({one.place[0] for one in found}))
    click.echo(f"audit.lock differs in {places}{more}; if this is meant to be: audit lock {again}")
    return Exit.FAIL


def _look(root: Path, names: Iterable[str], words: dict[str, Any]) -> Looked:
    from audit import locking
    from audit.cli._progress import Display
    from audit.records.text import plain

    with Display(shown=not words["quiet"]) as display:
        looked = locking.look(root, tuple(names), locking.How(deep=words["deep"], jobs=words["jobs"]), display.watch)
    for warning in looked.warnings:
        click.echo(f"audit: warning: {plain(warning)}", err=True)
    _tell(f"not locked: {one}" for one in looked.left_out)
    return looked


def _tell(lines: Iterable[str]) -> None:
    from audit.records.text import plain

    for line in dict.fromkeys(lines):
        click.echo(plain(line))


def _line(one: Difference) -> str:
    from audit import locking

    if said := locking.of_file(one):
        return said
    return f"{': '.join(one.place)}: expected {_brief(one.expected)}, found {_brief(one.found)}"


def _brief(value: Any) -> str:
    """A value of the lock in a few words."""
    if value is None:
        return "nothing"
    if not isinstance(value, dict | list):
        return _cut(value)
    if isinstance(value, dict) and value and not any(isinstance(part, dict | list) for part in value.values()):
        return " ".join(f"{name} {_cut(part)}" for name, part in sorted(value.items()))[:200]
    return f"{len(value):,} entr{'y' if len(value) == 1 else 'ies'}" if value else "nothing in it"


def _cut(value: Any) -> str:
    """A digest as it is; of a longer text its beginning."""
    said = str(value)
    return said if len(said) <= _LONGEST else f"{said[:_BEGINNING]}..."
