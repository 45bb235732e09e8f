"""What polars' types mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit.records.table import Column, ColumnType

if TYPE_CHECKING:
    import polars as pl


def column(name: str, dtype: pl.DataType) -> Column:
    """The column of that physical type."""
    import polars as pl

    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    unit = dtype.time_unit if isinstance(dtype, pl.Datetime | pl.Duration) else None
    return Column(name=name, type=_meaning(dtype), physical=str(dtype).lower(), zone=zone, unit=unit)


def _meaning(dtype: pl.DataType) -> ColumnType:
    import polars as pl

    if dtype.is_integer():
        return ColumnType.INTEGER
    if dtype.is_float() or dtype.is_decimal():
        return ColumnType.FLOAT
    named: dict[type[pl.DataType], ColumnType] = {
        pl.Boolean: ColumnType.BOOLEAN,
        pl.String: ColumnType.STRING,
        pl.Categorical: ColumnType.CATEGORICAL,
        pl.Enum: ColumnType.CATEGORICAL,
        pl.Datetime: ColumnType.TIMESTAMP,
        pl.Date: ColumnType.DATE,
        pl.Duration: ColumnType.DURATION,
        pl.Time: ColumnType.TIME,
        pl.List: ColumnType.LIST,
        pl.Array: ColumnType.LIST,
        pl.Struct: ColumnType.STRUCT,
        pl.Binary: ColumnType.BINARY,
        pl.Null: ColumnType.NULL,
    }
    return named.get(dtype.base_type(), ColumnType.BINARY)
