"""Expectations about several columns at once: keys, foreign keys, and shares that sum to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.records.shape import SHOWN, Breach, Keys
from audit.records.table import Column, ColumnType
from audit.tables.constraints.twice import again
from audit.tables.constraints.values import NUMBERS, WORDS, shown
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

_NANOSECONDS = {"ms": 10**6, "us": 10**3, "ns": 1}


def repeated(table: Table, columns: tuple[str, ...]) -> Iterator[Breach]:
    """Rows whose combination of values stands in a row above. A row with a missing one is left out, as in SQL."""
    frame = _numbered(table, columns)
    yield from _broken("unique", columns, again(frame), of=frame.height, expected="each combination once")


def unbalanced(table: Table, columns: tuple[str, ...], tolerance: float) -> Iterator[Breach]:
    """Rows whose numbers do not sum to one, by more than `tolerance`; a row with a missing one is left out."""
    import polars as pl

    wrong = [name for name in columns if table.column(name).type not in NUMBERS]
    if wrong:
        kinds = ", ".join(f"{name!r} is {table.column(name).type}" for name in wrong)
        yield Breach(columns=columns, kind="sum", unfit=f"only numbers have a sum: {kinds}")
        return
    frame = _numbered(table, columns).with_columns(pl.exclude("row").cast(pl.Float64).fill_nan(None)).drop_nulls()
    total = frame.select(pl.sum_horizontal(pl.exclude("row"))).to_series()
    bad = ~((total - 1.0).abs() <= tolerance)
    yield from _broken("sum", columns, frame.filter(bad), of=frame.height, expected=f"1 ± {tolerance:g}")


def orphans(table: Table, keys: Keys) -> Iterator[Breach]:
    """Rows whose key the other table lacks. A row with a missing part of the key is left out, as in SQL."""
    parents = Table(keys.source)
    absent = [name for name in keys.to if name not in {one.name for one in parents.columns}]
    if absent:
        why = f"{keys.dataset!r} has no column {', '.join(map(repr, absent))}"
        yield Breach(columns=keys.columns, kind="reference", unfit=why)
        return
    pairs = [(table.column(here), parents.column(there)) for here, there in zip(keys.columns, keys.to, strict=True)]
    if unlike := [_unlike(here, there, keys.dataset) for here, there in pairs if not _alike(here, there)]:
        yield Breach(columns=keys.columns, kind="reference", unfit="; ".join(unlike))
        return
    yield from _missing(table, parents, keys)


def _missing(table: Table, parents: Table, keys: Keys) -> Iterator[Breach]:
    import polars as pl

    here, there = _numbered(table, keys.columns), _values(parents, keys.to).drop_nulls().unique()
    left, right = [here.get_column("row")], []
    for name in there.columns:
        one, other = _comparable(here.get_column(name), there.get_column(name))
        left.append(one)
        right.append(other)
    lost = pl.DataFrame(left).join(pl.DataFrame(right), on=there.columns, how="anti").get_column("row")
    bad = here.filter(here.get_column("row").is_in(lost.implode()))
    expected = f"a key of {keys.dataset} ({', '.join(keys.to)})"
    yield from _broken("reference", keys.columns, bad, of=here.height, expected=expected)


def _values(table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """The columns, called `value N`: their own names may be any, and collide with others."""
    frame = table.select(columns)
    frame.columns = [f"value {number}" for number in range(frame.width)]
    return frame


def _numbered(table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """The columns beside a number for each row, without the rows where one is missing."""
    return _values(table, columns).with_row_index("row").drop_nulls()


def _comparable(one: pl.Series, other: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Both in a type that holds them exactly, whatever the width, the unit and the format that they came in."""
    import polars as pl

    if pl.Null in {one.dtype, other.dtype}:
        return (one, other.cast(one.dtype)) if other.dtype == pl.Null else (one.cast(other.dtype), other)
    if one.dtype == other.dtype and not isinstance(one.dtype, pl.Categorical):
        return one, other
    return _common(one), _common(other)


def _common(series: pl.Series) -> pl.Series:
    import polars as pl

    if isinstance(series.dtype, pl.Datetime | pl.Duration):
        ticks = pl.lit(_NANOSECONDS[series.dtype.time_unit], dtype=pl.Int128)
        return pl.select(pl.lit(series.to_physical()).cast(pl.Int128) * ticks).to_series().alias(series.name)
    if series.dtype.is_integer():
        return series.cast(pl.Int128)
    return series.cast(pl.Float64) if series.dtype.is_numeric() else series.cast(pl.String)


def _alike(here: Column, there: Column) -> bool:
    if ColumnType.NULL in {here.type, there.type}:
        return True
    if here.type in WORDS and there.type in WORDS:
        return True
    return here.type == there.type and (here.zone is None) == (there.zone is None)


def _unlike(here: Column, there: Column, dataset: str) -> str:
    return f"{here.name!r} is {_told(here)}, {there.name!r} of {dataset!r} is {_told(there)}"


def _told(column: Column) -> str:
    if column.type is ColumnType.TIMESTAMP:
        return f"a timestamp {'with' if column.zone else 'without'} a time zone"
    return str(column.type)


def _broken(kind: str, columns: tuple[str, ...], bad: pl.DataFrame, *, of: int, expected: str) -> Iterator[Breach]:
    if not bad.height:
        return
    some = bad.head(SHOWN)
    values = [shown(some.get_column(name), list(range(some.height))) for name in some.columns if name != "row"]
    yield Breach(
        columns=columns,
        kind=kind,
        count=bad.height,
        of=of,
        rows=tuple(row + 1 for row in some.get_column("row").to_list()),
        values=tuple(" / ".join(parts) for parts in zip(*values, strict=True)),
        expected=expected,
    )
