"""Everything expected of a table, held against it: one column, or the columns of one key, in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.schema import ColumnRule
from audit.records.shape import Breach, Expected
from audit.records.table import Column
from audit.tables.constraints.column import breaches
from audit.tables.constraints.keys import orphans, repeated, unbalanced
from audit.tables.names import nameless
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE = 500  # columns that are in memory together at most
_CELLS = 4_000_000  # values that are, where it is more than one column
_LONGEST = 200


def broken(table: Table, expected: Expected) -> Iterator[Breach]:
    """All that breaks an expectation. A column that cannot be judged is told as such, and costs no other its answer.

    Columns that are not there are passed over: the shape of the table tells them.
    """
    columns = {one.name: one for one in table.columns}
    rules = [(columns[name], rule) for name, rule in expected.columns if name in columns and _measurable(rule)]
    yield from _of_columns(table, rules)
    for names, hold in _of_keys(table, expected):
        if columns.keys() >= set(names):
            yield from _told(names, hold)


def _of_columns(table: Table, rules: Sequence[tuple[Column, ColumnRule]]) -> Iterator[Breach]:
    """Few rows of many columns are read together: each reading begins with the description of all columns."""
    size = max(1, min(_AT_ONCE, _CELLS // max(1, table.rows)))
    for start in range(0, len(rules), size):
        some = rules[start : start + size]
        values = _together(table, [column.name for column, _ in some])
        for column, rule in some:
            yield from _told((column.name,), partial(_of_column, values, column, rule))


def _together(table: Table, names: Sequence[str]) -> Callable[[str], pl.Series]:
    """The values of a column by its name; each for itself, where they cannot be read together."""
    import polars as pl

    try:
        frame = table.select(names)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return table.values
    return lambda name: nameless(frame.get_column(name))


def _of_column(values: Callable[[str], pl.Series], column: Column, rule: ColumnRule) -> Iterator[Breach]:
    return breaches(values(column.name), column, rule)


def _of_keys(table: Table, expected: Expected) -> Iterator[tuple[tuple[str, ...], Callable[[], Iterator[Breach]]]]:
    """Each expectation about several columns, by their names."""
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


def _told(columns: tuple[str, ...], hold: Callable[[], Iterator[Breach]]) -> Iterator[Breach]:
    import polars as pl

    try:
        yield from list(hold())
    except (CannotLook, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).partition("\n")[0][:_LONGEST]
        yield Breach(columns=columns, kind="unreadable", unfit=f"it cannot be judged: {reason}", blind=True)
