"""The part of a table that `where` takes: values are compared as what they are, never as their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.table import Column, ColumnType, Scalar
from audit.tables.names import exactly

if TYPE_CHECKING:
    import polars as pl

_NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.FLOAT})
_TEXTS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})
_CLOCKS = {ColumnType.DATE: date.fromisoformat, ColumnType.TIMESTAMP: datetime.fromisoformat}


def condition(column: Column, wanted: Sequence[Scalar]) -> pl.Expr:
    """Rows whose column has one of the values. Raises `CannotLook` for one that the column cannot have."""
    import polars as pl

    here = exactly(column.name)
    values = [_value(column, one) for one in wanted]
    if column.type in _TEXTS:
        here = here.cast(pl.String)
    return pl.any_horizontal([here == value for value in values])


def _value(column: Column, wanted: Scalar) -> Scalar | date:
    """The value as the column's type has it."""
    if column.type is ColumnType.BOOLEAN and isinstance(wanted, bool):
        return wanted
    if column.type in _NUMBERS and isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return wanted
    if column.type in _TEXTS and isinstance(wanted, str):
        return wanted
    if column.type in _CLOCKS and isinstance(wanted, str):
        return _moment(column, wanted)
    raise CannotLook(
        f"`where` compares the {column.type} column {column.name!r} with {wanted!r}",
        hint="quote text, and write numbers, true and false without quotes",
    )


def _moment(column: Column, wanted: str) -> date:
    try:
        return _CLOCKS[column.type](wanted)
    except ValueError:
        raise CannotLook(
            f"`where` compares the {column.type} column {column.name!r} with {wanted!r}",
            hint="write it as YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS",
        ) from None
