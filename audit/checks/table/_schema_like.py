"""One table held against another that it should be like: columns, order, types, zones, missing values, levels."""

from __future__ import annotations

from collections.abc import Iterator

from audit.checks.table._schema_columns import absent, extra, ordered
from audit.checks.table._schema_types import clocked, typed
from audit.checks.table._schema_words import counted, share, some
from audit.records.base import Record
from audit.records.findings import Violation
from audit.records.schema import Extra, Levels
from audit.records.shape import ColumnShape, LevelCount, Shape
from audit.records.table import ColumnType
from audit.records.words import Severity

_ALWAYS_LEVELS = 20
_ROWS_A_LEVEL = 2


class Likeness(Record):
    """How alike two tables have to be; `name` is what the other one is called, `known` what is declared besides."""

    name: str
    extra: Extra
    order: Severity | None
    levels: Levels
    show: bool
    known: tuple[str, ...] = ()


def unlike(path: str, here: Shape, there: Shape, how: Likeness) -> Iterator[Violation]:
    """What differs from the other table."""
    known = [one.column.name for one in there.columns]
    named, whose = here.named(), f"in {how.name}"
    yield from absent(path, known, named, whose)
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
    if there.crowded or (here.crowded and there.levels is not None):
        told = "levels not compared: the columns of the table have too many in all"
        yield Violation(subject=subject, kind="crowded", message=told, severity=Severity.NOTE)
    elif there.levels is not None and _few(there.levels, other.rows):
        known = {one.value for one in there.levels}
        if here.levels is None and here.column.type in {ColumnType.STRING, ColumnType.CATEGORICAL}:
            yield _teeming(subject, len(known), how)
        elif here.levels is not None:
            yield from _unseen(subject, [one for one in here.levels if one.value not in known], shape.rows, how)
            yield from _vanished(subject, here.levels, there.levels, how)


def _few(levels: tuple[LevelCount, ...], rows: int) -> bool:
    """Whether they are kinds of things, and not names of single ones: 20 at most, or two rows to each and more."""
    return len(levels) <= _ALWAYS_LEVELS or len(levels) * _ROWS_A_LEVEL <= rows


def _weight(how: Likeness) -> Severity:
    return Severity.ERROR if how.levels is Levels.CLOSED else Severity.WARNING


def _teeming(subject: str, known: int, how: Likeness) -> Violation:
    told = f"too many levels to compare, or too long ones; {counted(known, 'level')} in {how.name}"
    return Violation(subject=subject, kind="unseen-level", message=told, severity=_weight(how), expected=known)


def _unseen(subject: str, new: list[LevelCount], rows: int, how: Likeness) -> Iterator[Violation]:
    if not new:
        return
    hit = sum(one.rows for one in new)
    named = f": {some([one.value for one in new])}" if how.show else ""
    yield Violation(
        subject=subject,
        kind="unseen-level",
        message=f"{counted(len(new), 'unseen level')}{named} ({counted(hit, 'row')}, {share(hit, rows)})",
        severity=_weight(how),
        expected=0,
        found=len(new),
    )


def _vanished(
    subject: str, here: tuple[LevelCount, ...], there: tuple[LevelCount, ...], how: Likeness
) -> Iterator[Violation]:
    found = {one.value for one in here}
    if gone := [one.value for one in there if one.value not in found]:
        told = f"{some(gone)} absent" if how.show else f"{counted(len(gone), 'level')} absent"
        yield Violation(
            subject=subject, kind="vanished-level", message=told, severity=Severity.NOTE, expected=0, found=len(gone)
        )
