"""The columns of two tables as one matrix of numbers, for a sample of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.measures.held_out import named_for_groups, names_groups
from audit.records.shift import Left
from audit.records.table import Column, ColumnType
from audit.tables.learned.encode import codes, family, names_rows, numbers
from audit.tables.pair.columns import matches
from audit.tables.sample import positions
from audit.tables.table import Table

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

CELLS = 4_000_000
"""Values that the sample of both tables has at most, whatever the number of columns."""

_SEED = 20_230_804
_GLANCE = 1_000
"""Values that mostly show already that a word is in both tables."""


class Features(NamedTuple):
    """Rows of the reference, then of the current table, by columns; `current` marks the latter."""

    matrix: NDArray[np.float64]
    current: NDArray[np.bool_]
    columns: tuple[str, ...]
    left: tuple[Left, ...]
    rows: tuple[int, int]
    groups: NDArray[np.int64] | None


class Wanted(NamedTuple):
    """The columns to look at (none named: all), those to leave out, the column of groups, and rows a side at most."""

    columns: Sequence[str] = ()
    ignore: Sequence[str] = ()
    groups: str = ""
    rows: int = 10_000


def features(tables: tuple[Table, Table], wanted: Wanted) -> Features:
    """The columns that both tables have, one read at a time."""
    import numpy as np

    left, chosen = _chosen(tables, wanted)
    most = max(min(wanted.rows, CELLS // 2 // max(len(chosen), 1)), 1)
    picks = [positions(table.rows, most, _SEED + side) for side, table in enumerate(tables)]
    current = np.repeat([False, True], [len(pick) for pick in picks])
    kept, parts = [], []
    for name in chosen:
        found = _column(tables, picks, name, named=matches(name, wanted.columns))
        if isinstance(found, Left):
            left.append(found)
            continue
        kept.append(name)
        parts.append(found)
    matrix = np.stack(parts, axis=1) if parts else np.empty((len(current), 0))
    groups = _groups(tables, picks, wanted.groups) if wanted.groups else None
    return Features(matrix, current, tuple(kept), tuple(left), (tables[0].rows, tables[1].rows), groups)


def _chosen(tables: tuple[Table, Table], wanted: Wanted) -> tuple[list[Left], list[str]]:
    here, there = ({column.name: column for column in table.columns} for table in tables)
    for table in tables if wanted.groups else ():
        table.column(wanted.groups)
    for pattern in wanted.columns:
        if not any(matches(name, [pattern]) for name in here):
            tables[0].column(pattern)
    left = [
        Left(column=name, reason="in one table only")
        for name in dict.fromkeys([*here, *there])
        if (name in here) != (name in there)
    ]
    chosen = []
    for name in here:
        if name not in there or (wanted.columns and not matches(name, wanted.columns)):
            continue
        reason = _reason(here[name], there[name], wanted)
        if reason:
            left.append(Left(column=name, reason=reason))
        else:
            chosen.append(name)
    return left, chosen


def _reason(here: Column, there: Column, wanted: Wanted) -> str:
    if matches(here.name, wanted.ignore):
        return "ignored by the rule"
    if here.name == wanted.groups:
        return "names the groups"
    found = {family(here), family(there)}
    if "" in found:
        return f"a {here.type}"
    if found == {"nothing"}:
        return "no values"
    return f"{here.type} and {there.type}" if len(found - {"nothing"}) > 1 else ""


def _column(
    tables: tuple[Table, Table], picks: Sequence[NDArray[np.int64]], name: str, *, named: bool
) -> NDArray[np.float64] | Left:
    """The column's values in the sampled rows; what differs by nature is left out, unless the rule names it."""
    import numpy as np

    columns = [table.column(name) for table in tables]
    wholes = [table.values(name) for table in tables]
    parts = [whole.gather(pick) for whole, pick in zip(wholes, picks, strict=True)]
    reason = "" if named else _apart(columns, wholes, parts)
    if reason:
        return Left(column=name, reason=reason)
    words = any(family(column) == "words" for column in columns)
    return np.concatenate(codes(parts) if words else [numbers(part) for part in parts])


def _apart(columns: Sequence[Column], wholes: Sequence[pl.Series], parts: Sequence[pl.Series]) -> str:
    """Why two tables differ in the column however alike their rows are; "" if they need not. As in `table.drift`."""
    if all(family(column) == "time" for column in columns) and _follows(*wholes):
        return "later in every row, as a split by time makes it"
    if _groups_apart(columns[0].name, wholes):
        return "names groups of which none is in both tables: `blocks` with this column keeps their rows together"
    for some in (parts, wholes):  # the few first: most columns are done with then
        if not all(names_rows(column, values) for column, values in zip(columns, some, strict=True)):
            return ""
    measures = all(column.type is ColumnType.INTEGER for column in columns)
    if measures and not any(_counts_on(whole) for whole in wholes) and _shared(*wholes):
        return ""
    return "an identifier: no two rows of a table share a value"


def _groups_apart(name: str, wholes: Sequence[pl.Series]) -> bool:
    """Whether users or sessions were held out; as `table.drift` tells it."""
    import polars as pl

    here, there = wholes
    if here.dtype.is_integer() and there.dtype.is_integer():
        return named_for_groups(name) and not _shared(here.unique(), there.unique())
    if here.dtype != pl.String or there.dtype != pl.String:
        return False
    if here.head(_GLANCE).is_in(there.implode()).any() or here.is_in(there.implode()).any():
        return False
    return names_groups(name, there.drop_nulls().unique().to_list(), here.drop_nulls().unique().to_list())


def _follows(first: pl.Series, second: pl.Series) -> bool:
    latest, earliest = first.arg_max(), second.arg_min()
    if latest is None or earliest is None or first.dtype.base_type() != second.dtype.base_type():
        return False  # as numbers from here on: a datetime of Python's holds no nanoseconds
    return float(numbers(second[earliest : earliest + 1])[0]) > float(numbers(first[latest : latest + 1])[0])


def _counts_on(values: pl.Series) -> bool:
    """Whether distinct whole numbers have no gap."""
    present = values.drop_nulls()
    span: Any = int(present.max()) - int(present.min())  # type: ignore[arg-type]
    return bool(span == len(present) - 1)


def _shared(first: pl.Series, second: pl.Series) -> bool:
    import polars as pl

    return bool(first.drop_nulls().cast(pl.Int128).is_in(second.drop_nulls().cast(pl.Int128).implode()).any())


def _groups(tables: tuple[Table, Table], picks: Sequence[NDArray[np.int64]], name: str) -> NDArray[np.int64]:
    """A number for each group; rows whose group is missing are one of their own each."""
    import numpy as np
    import polars as pl

    words = pl.concat([_words(table, pick, name) for table, pick in zip(tables, picks, strict=True)])
    _, found = np.unique(words.fill_null("").to_numpy().astype(str), return_inverse=True)
    alone = words.is_null().to_numpy()
    numbered: NDArray[np.int64] = found.astype(np.int64)
    numbered[alone] = len(found) + np.arange(alone.sum())
    return np.unique(numbered, return_inverse=True)[1].astype(np.int64)


def _words(table: Table, pick: NDArray[np.int64], name: str) -> pl.Series:
    import polars as pl

    return table.values(name).gather(pick).cast(pl.String)


def sides(found: Features) -> Iterator[NDArray[np.int64]]:
    """The places of the rows of the reference, then of the current table."""
    import numpy as np

    yield np.flatnonzero(~found.current)
    yield np.flatnonzero(found.current)
