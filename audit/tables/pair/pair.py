"""Two tables measured against each other, column by column, on two threads; the check judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from audit.errors import CannotLook
from audit.records.drift import Measured, PairQuestion
from audit.records.profile import TableProfile
from audit.records.table import Source
from audit.tables.budget import budget
from audit.tables.names import nameless
from audit.tables.pair.binned import against
from audit.tables.pair.blocks import owners
from audit.tables.pair.columns import Choice, Task, chosen
from audit.tables.pair.found import Both, Setting, compared, compared_in_parts, powered
from audit.tables.pair.large import large, needed
from audit.tables.pair.levels import Found
from audit.tables.pair.levels import measured as levels_measured
from audit.tables.pair.strata import Sides, Strata
from audit.tables.table import Table
from audit.tables.values import Streamed

WORKERS = 2
_TOGETHER = 24 << 20
"""Bytes of columns that are read at once: of short tables many."""


class Tables(NamedTuple):
    """Both tables, open."""

    reference: Table
    current: Table

    def sides(self, name: str) -> Sides:
        """All values of a column."""
        return Sides(self.reference.values(name), self.current.values(name))


def measured(question: PairQuestion) -> Measured:
    """What is known of each column of both tables. Raises `CannotLook` for a table or column that cannot be read."""
    return _recorded(question, question.lock) if question.lock else _read_both(question)


def _recorded(question: PairQuestion, reference: TableProfile) -> Measured:
    """The current table against a profile, one column at a time."""
    current = Table(question.current)
    choice = chosen(question, [one.column for one in reference.columns], current.columns)
    below = question.false_alarms / max(1, 2 * len(choice.tasks))
    found = [against(task, reference, current, below) for task in choice.tasks]
    return _told((reference.rows, current.rows), choice, found, Setting(below), question.false_alarms)


def _read_both(question: PairQuestion) -> Measured:
    tables = Tables(_open(question.reference), _open(question.current))
    choice = chosen(question, tables.reference.columns, tables.current.columns)
    by = tables.sides(_held(tables, question.by)) if question.by else None
    strata = Strata(by) if by else None
    setting = Setting(
        below=question.false_alarms / max(1, 2 * len(choice.tasks) * (len(strata.names) if strata else 1)),
        owners=owners(tables.sides(_held(tables, question.blocks))) if question.blocks else None,
        strata=strata,
        memory=budget(),
    )
    found = [*_balance(question.by, setting), *_all(tables, choice.tasks, setting)]
    return _told((tables.reference.rows, tables.current.rows), choice, found, setting, question.false_alarms)


def _open(source: Source | None) -> Table:
    if source is None:
        raise CannotLook("no reference is given")
    return Table(source)


def _held(tables: Tables, name: str) -> str:
    for table in tables:
        table.column(name)
    return name


def _balance(by: str, setting: Setting) -> Iterator[Found]:
    """The shares of the strata themselves, as a column of their own."""
    if setting.strata:
        yield levels_measured(by, *setting.strata.counts, setting.below)


def _all(tables: Tables, tasks: Sequence[Task], setting: Setting) -> Iterator[Found]:
    """All columns in their order, whatever the order in which threads come to them."""
    rows = tables.reference.rows + tables.current.rows
    workers = WORKERS if needed(rows) <= setting.memory else 1
    with ThreadPoolExecutor(workers) as pool:
        for some in pool.map(partial(_read, tables, setting), _batches(tasks, rows, min(_TOGETHER, setting.memory))):
            yield from some


def _batches(tasks: Iterable[Task], rows: int, most: int) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and size + task.width * rows > most:
            yield batch
            batch, size = [], 0
        batch, size = [*batch, task], size + task.width * rows
    if batch:
        yield batch


def _read(tables: Tables, setting: Setting, tasks: Sequence[Task]) -> list[Found]:
    """Some columns; one that fills a batch alone is not held as a whole, unless its rows must be told apart."""
    in_parts = setting.strata is not None or setting.owners is not None
    if len(tasks) == 1 and not in_parts:
        return [_streamed(tables, tasks[0], setting)]
    names = [task.column for task in tasks]
    reference, current = tables.reference.select(names), tables.current.select(names)
    found: list[Found] = []
    for task in tasks:
        sides = Sides(*(nameless(side.drop_in_place(task.column)) for side in (reference, current)))
        found += compared_in_parts(task, sides, setting)
    return found


def _streamed(tables: Tables, task: Task, setting: Setting) -> Found:
    """One column, by a profile of the reference where its values do not fit."""
    rows = (tables.reference.rows, tables.current.rows)
    profile = large(task, tables.reference, sum(rows), setting.memory)
    if profile is not None:
        return against(task, profile, tables.current, setting.below)
    both = Both(Streamed(tables.reference, task.column), Streamed(tables.current, task.column), rows)
    return compared(task, both, setting)


def _told(
    rows: tuple[int, int], choice: Choice, found: Sequence[Found], setting: Setting, false_alarms: float
) -> Measured:
    tests = sum(len(one.pair.tests) for one in found)
    level = false_alarms / max(1, tests)
    return Measured(
        rows=rows,
        pairs=tuple(powered(one, level) for one in found),
        absent=choice.absent,
        types=choice.types,
        left_out=choice.left_out,
        strata=len(setting.strata.names) if setting.strata else 0,
        strata_left_out=setting.strata.left_out if setting.strata else 0,
        rows_left_out=setting.strata.rows_left_out if setting.strata else 0,
    )
