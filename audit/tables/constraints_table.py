"""Everything expected of a table, held against it: one column, or the columns of one key, in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from audit.errors import CannotLook
from audit.records.schema import ColumnRule
from audit.records.shape import Breach, Expected
from audit.tables.constraints import breaches
from audit.tables.constraints_keys import orphans, repeated, unbalanced
from audit.tables.table import Table

_LONGEST = 200


def broken(table: Table, expected: Expected) -> Iterator[Breach]:
    """All that breaks an expectation. A column that cannot be judged is told as such, and costs no other its answer.

    Columns that are not there are passed over: the shape of the table tells them.
    """
    there = {one.name for one in table.columns}
    for columns, hold in _held(table, expected):
        if there.issuperset(columns):
            yield from _told(columns, hold)


def _held(table: Table, expected: Expected) -> Iterator[tuple[tuple[str, ...], Callable[[], Iterator[Breach]]]]:
    """Each expectation by the columns that it is about."""
    for name, rule in expected.columns:
        if _measurable(rule):
            yield (name,), partial(_column, table, name, rule)
    for columns in expected.unique:
        yield columns, partial(repeated, table, columns)
    for columns in expected.sums:
        yield columns, partial(unbalanced, table, columns, expected.tolerance)
    for keys in expected.references:
        yield keys.columns, partial(orphans, table, keys)


def _measurable(rule: ColumnRule) -> bool:
    """Whether the rule asks for more than what the shape tells."""
    told = {"type", "nullable", "max_missing", "required", "zone"}
    plain = ColumnRule()
    return any(getattr(rule, name) != getattr(plain, name) for name in rule.__struct_fields__ if name not in told)


def _column(table: Table, name: str, rule: ColumnRule) -> Iterator[Breach]:
    return breaches(table.values(name), table.column(name), rule)


def _told(columns: tuple[str, ...], hold: Callable[[], Iterator[Breach]]) -> Iterator[Breach]:
    import polars as pl

    try:
        yield from list(hold())
    except (CannotLook, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).partition("\n")[0][:_LONGEST]
        yield Breach(columns=columns, kind="unreadable", unfit=f"it cannot be judged: {reason}", blind=True)
