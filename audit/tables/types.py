"""What polars' types mean, so that one thing is called by one name whoever wrote it.

Widths and units stand beside the meaning: `int32` and nullable `Int64` are both integers,
pandas' `object`, `string` and `large_string` are strings before polars shows them, and a
time zone is called by what it does, not by its name in one of several databases.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from audit.records.table import Column, ColumnType

if TYPE_CHECKING:
    import polars as pl

_UTC = frozenset({"UTC", "UCT", "Zulu", "Universal", "GMT", "GMT0", "Greenwich", "+00:00", "-00:00", "Z", "utc"})
_FIXED = re.compile(r"Etc/GMT([+-])(\d{1,2})")


def column(name: str, dtype: pl.DataType, *, text: bool = False) -> Column:
    """The column of that physical type; `text` if the type was found in text."""
    import polars as pl

    return Column(
        name=name,
        type=meaning(dtype),
        physical=physical(dtype),
        zone=zone(dtype.time_zone) if isinstance(dtype, pl.Datetime) and dtype.time_zone else None,
        unit=dtype.time_unit if isinstance(dtype, pl.Datetime | pl.Duration) else None,
        text=text,
    )


def meaning(dtype: pl.DataType) -> ColumnType:
    """What values of the type mean; a decimal is a number with a fraction, a map a structure."""
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
    base = dtype.base_type()
    return named.get(base, ColumnType.STRUCT if base.__name__ == "Map" else ColumnType.BINARY)


def physical(dtype: pl.DataType) -> str:
    """The physical type in Arrow's manner: `int32`, `timestamp[us, UTC]`, `decimal(10, 2)`, `list[int64]`."""
    import polars as pl

    if isinstance(dtype, pl.Datetime):
        return f"timestamp[{dtype.time_unit}{f', {zone(dtype.time_zone)}' if dtype.time_zone else ''}]"
    if isinstance(dtype, pl.Duration):
        return f"duration[{dtype.time_unit}]"
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.List | pl.Array):
        return f"list[{physical(dtype.inner)}]"  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return f"struct[{', '.join(f'{one.name}: {physical(one.dtype)}' for one in dtype.fields)}]"  # type: ignore[arg-type]
    return dtype.base_type().__name__.lower()


def zone(name: str) -> str:
    """A time zone by what it does: `UTC` under any of its names, `+02:00` for POSIX's `Etc/GMT-2`."""
    bare = name.removeprefix("Etc/")
    if bare in _UTC or bare in {"GMT+0", "GMT-0"}:
        return "UTC"
    fixed = _FIXED.fullmatch(name)
    return f"{'-' if fixed[1] == '+' else '+'}{int(fixed[2]):02}:00" if fixed else name
