"""One table held against another that it should be like: columns, order, types, zones, missing values, levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from audit.checks.table._schema_columns import absent, extra, ordered
from audit.checks.table._schema_types import clocked, typed
from audit.checks.table._schema_words import counted, share, some
from audit.measures.held_out import names_groups
from audit.records.base import Record
from audit.records.findings import Violation
from audit.records.schema import Extra, Levels
from audit.records.shape import MAX_LEVEL, MAX_LEVELS, ColumnShape, LevelCount, Shape
from audit.records.table import ColumnType
from audit.records.words import Severity

_ALWAYS_LEVELS = 20
_ROWS_A_LEVEL = 2
_WORDS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})


class Likeness(Record):
    """How alike two tables have to be.

    `name` is what the other one is called, `known` what is declared besides, `optional` what may be absent.
    """

    name: str
    extra: Extra
    order: Severity | None
    levels: Levels
    show: bool
    known: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


def unlike(path: str, here: Shape, there: Shape, how: Likeness) -> Iterator[Violation]:
    """What differs from the other table."""
    known = [one.column.name for one in there.columns]
    named, whose = here.named(), f"in {how.name}"
    yield from absent(path, [name for name in known if name not in how.optional], named, whose)
    yield from extra(path, here, (*known, *how.known), whose, how.extra)
    if how.order:
        yield from ordered(path, here, known, whose, how.order)
    for one in there.columns:
        if one.column.name in named:
            yield from _column(f"{path}#{one.column.name}", (named[one.column.name], here), (one, there), how)


def _column(
    subject: str, mine: tuple[ColumnShape, Shape], theirs: tuple[ColumnShape, Shape], how: Likeness
) -> Iterator[Violation]:
    (here, shape), (there, other) = mine, theirs
    yield from typed(subject, here, there.column.type, like=how.name, rows=shape.rows)
    yield from clocked(subject, here.column, there.column, how.name)
    if shape.rows and other.rows:
        yield from _missing(subject, here, there, shape.rows)
        yield from _levels(subject, mine, theirs, how)


def _missing(subject: str, here: ColumnShape, there: ColumnShape, rows: int) -> Iterator[Violation]:
    """Missing values where the other table has none. Columnar files hold integers beside nulls as they are."""
    if not here.absent or there.absent:
        return
    integers = here.column.type is ColumnType.INTEGER
    left = share(here.absent, rows)
    told = f"missing 0 % -> {left} ({here.absent:,} of {counted(rows, 'row')})"
    if integers and here.column.text:
        told = f"integer with {counted(here.absent, 'null')} ({left}); {told}"
    yield Violation(
        subject=subject,
        kind="missing",
        message=told,
        severity=Severity.NOTE if integers and not here.column.text else Severity.WARNING,
        expected=0,
        found=here.absent,
    )


def _levels(
    subject: str, mine: tuple[ColumnShape, Shape], theirs: tuple[ColumnShape, Shape], how: Likeness
) -> Iterator[Violation]:
    (here, shape), (there, other) = mine, theirs
    if why := _incomparable(here, there, other.rows):
        if there.crowded or here.crowded or how.levels is Levels.CLOSED:
            yield _uncompared(subject, f"levels not compared: {why} in {how.name}", how)
    elif there.levels is not None:
        known = {one.value for one in there.levels}
        if here.levels is not None and how.levels is Levels.OPEN and _held_out(here.column.name, here.levels, known):
            yield _groups(subject, len(here.levels), how)
        elif here.levels is not None:
            yield from _unseen(subject, here.levels, known, how, rows=shape.rows)
            yield from _vanished(subject, here.levels, there.levels, how)
        elif here.column.type in _WORDS:
            yield _teeming(subject, len(known), how)


def _incomparable(here: ColumnShape, there: ColumnShape, rows: int) -> str:
    """Why the values are not looked at as levels; "" if they are, or have no levels by nature.

    Levels are kinds of things, and not names of single ones: 20 at most, or two rows to each and more.
    """
    if there.column.type not in _WORDS:
        return ""
    if there.crowded or (here.crowded and there.levels is not None):
        return "the columns of the table have too many in all, here or"
    if there.levels is None:
        return f"more than {MAX_LEVELS:,}, or longer than {MAX_LEVEL} characters,"
    if len(there.levels) > _ALWAYS_LEVELS and len(there.levels) * _ROWS_A_LEVEL > rows:
        return f"{counted(len(there.levels), 'level')} in {counted(rows, 'row')}"
    return ""


def _uncompared(subject: str, told: str, how: Likeness) -> Violation:
    """Where levels are closed, what was not looked at must not look like a pass."""
    weight = Severity.WARNING if how.levels is Levels.CLOSED else Severity.NOTE
    return Violation(subject=subject, kind="uncompared", message=told, severity=weight)


def _weight(how: Likeness) -> Severity:
    return Severity.ERROR if how.levels is Levels.CLOSED else Severity.WARNING


def _teeming(subject: str, known: int, how: Likeness) -> Violation:
    told = f"too many levels to compare, or too long ones; {counted(known, 'level')} in {how.name}"
    return Violation(subject=subject, kind="unseen-level", message=told, severity=_weight(how), expected=known)


def _unseen(
    subject: str, here: tuple[LevelCount, ...], known: AbstractSet[str], how: Likeness, *, rows: int
) -> Iterator[Violation]:
    new = [one for one in here if one.value not in known]
    if not new:
        return
    hit = sum(one.rows for one in new)
    named = f": {some([one.value for one in new])}" if how.show else ""
    alien = f"; no level in common with {how.name}" if len(new) == len(here) > 1 else ""
    yield Violation(
        subject=subject,
        kind="unseen-level",
        message=f"{counted(len(new), 'unseen level')}{named} ({counted(hit, 'row')}, {share(hit, rows)}){alien}",
        severity=_weight(how),
        expected=0,
        found=len(new),
    )


def _held_out(column: str, here: Sequence[LevelCount], known: AbstractSet[str]) -> bool:
    names = [one.value for one in here]
    return known.isdisjoint(names) and names_groups(column, names, sorted(known))


def _groups(subject: str, groups: int, how: Likeness) -> Violation:
    told = f"no value in common with {how.name}, as a split by groups makes it; `split.groups` watches that"
    return Violation(subject=subject, kind="held-out", message=told, severity=Severity.NOTE, found=groups)


def _vanished(
    subject: str, here: tuple[LevelCount, ...], there: tuple[LevelCount, ...], how: Likeness
) -> Iterator[Violation]:
    found = {one.value for one in here}
    if gone := [one.value for one in there if one.value not in found]:
        told = f"{some(gone)} absent" if how.show else f"{counted(len(gone), 'level')} absent"
        yield Violation(
            subject=subject, kind="vanished-level", message=told, severity=Severity.NOTE, expected=0, found=len(gone)
        )
