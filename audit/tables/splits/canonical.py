"""Values of several tables in one type each, so that equal means equal: 1 is 1 whatever its width, text is text.

NaN and null are values like others, and -0.0 is 0.0: so polars hashes and compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from audit.records.table import ColumnType
from audit.tables.splits.splits import named

if TYPE_CHECKING:
    import polars as pl

    from audit.tables.splits.splits import Piece

    _Convert = Callable[[pl.Expr, pl.DataType], pl.Expr]

_WORDS = {ColumnType.STRING, ColumnType.CATEGORICAL}
_NESTED = {ColumnType.LIST, ColumnType.STRUCT}


def canonical(pieces: Sequence[Piece], names: Sequence[str]) -> tuple[list[dict[str, pl.Expr]], list[str]]:
    """For each piece the columns in the type that they are compared in; and those that only compare as text."""
    import polars as pl

    schemas = [piece.table.frame.collect_schema() for piece in pieces]
    values: list[dict[str, pl.Expr]] = [{} for _ in pieces]
    unlike = []
    for name in names:
        types = [schema[name] for schema in schemas]
        convert = _common([one for one in types if one != pl.Null])
        if convert is None:
            unlike.append(name)
            convert = as_text
        for each, dtype in zip(values, types, strict=True):
            each[name] = convert(named(name), dtype)
    return values, unlike


def as_text(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Any value as text; a nested one as JSON."""
    import polars as pl

    if dtype.is_nested():
        return pl.when(value.is_null()).then(None).otherwise(pl.struct(value.alias("v")).struct.json_encode())
    return value.cast(pl.String, strict=False)


def _common(types: Sequence[pl.DataType]) -> _Convert | None:
    """How to bring a column into the type that all these can be compared in; None if there is no such type."""
    import polars as pl

    from audit.tables.types import column

    meanings = {column("", dtype).type for dtype in types}
    if meanings <= _WORDS:  # nothing but nulls too
        return _cast(pl.String())
    if len(meanings) == 1 and meanings <= _NESTED:
        return as_text
    if meanings <= {ColumnType.INTEGER, ColumnType.FLOAT}:
        return _cast(_number(types))
    if meanings <= {ColumnType.TIMESTAMP, ColumnType.DATE}:
        return _moment(types)
    if len(meanings) > 1:
        return None
    return _cast(pl.Duration(_finest(types)) if meanings == {ColumnType.DURATION} else types[0])


def _cast(dtype: pl.DataType) -> _Convert:
    return lambda value, _: value.cast(dtype)


def _number(types: Sequence[pl.DataType]) -> pl.DataType:
    """Integers exactly; floats in 32 bits where some table keeps them so, since nothing else can equal those."""
    import polars as pl

    if all(dtype.is_integer() for dtype in types):
        wide = any(dtype in {pl.UInt64, pl.Int128} or str(dtype) == "UInt128" for dtype in types)
        return pl.Int128() if wide else pl.Int64()
    halved = pl.Float32 in types and all(dtype.is_float() for dtype in types)
    return pl.Float32() if halved else pl.Float64()


def _moment(types: Sequence[pl.DataType]) -> _Convert | None:
    """Instants in UTC, or times of no zone; None if both are there."""
    import polars as pl

    aware = {isinstance(dtype, pl.Datetime) and dtype.time_zone is not None for dtype in types}
    if len(aware) > 1:
        return None
    if all(dtype == pl.Date for dtype in types):
        return _cast(pl.Date())
    unit = _finest(types)
    if aware == {True}:
        return lambda value, dtype: _utc(value, dtype).dt.cast_time_unit(unit)
    return _cast(pl.Datetime(unit))


def _utc(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    import polars as pl

    return value.dt.convert_time_zone("UTC") if dtype != pl.Null else value.cast(pl.Datetime("us", "UTC"))


def _finest(types: Sequence[pl.DataType]) -> Literal["ns", "us", "ms"]:
    import polars as pl

    units = {dtype.time_unit for dtype in types if isinstance(dtype, pl.Datetime | pl.Duration)}
    if "ns" in units:
        return "ns"
    return "us" if "us" in units or not units else "ms"
