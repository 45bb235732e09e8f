"""Columns of numbers and times as arrays: what is missing, NaN or infinite is counted and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit.records.table import Column, ColumnType

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    Array = np.ndarray[Any, np.dtype[Any]]

NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.FLOAT})
TIMES = frozenset({ColumnType.TIMESTAMP, ColumnType.DATE, ColumnType.DURATION, ColumnType.TIME})

_TICKS = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY_S = 86_400


class Tally:
    """What was met in a column so far; adds up over batches in any order."""

    def __init__(self) -> None:
        self.rows = self.missing = self.nan = self.infinite = self.negative_infinite = 0

    @property
    def finite(self) -> int:
        """Values that are neither missing, nor NaN, nor infinite."""
        return self.rows - self.missing - self.nan - self.infinite

    def add(self, batch: pl.Series) -> Array:
        """Count a batch; its finite values as int64, uint64 or float64, in their order."""
        import numpy as np

        values = _array(batch.drop_nulls() if batch.null_count() else batch)
        self.rows += len(batch)
        self.missing += batch.null_count()
        if values.dtype.kind != "f":
            return values
        finite = np.isfinite(values)
        if finite.all():
            return values + 0.0  # minus zero is zero
        self.nan += int(np.count_nonzero(np.isnan(values)))
        self.infinite += int(np.count_nonzero(np.isinf(values)))
        self.negative_infinite += int(np.count_nonzero(values == -np.inf))
        return values[finite] + 0.0


def _array(series: pl.Series) -> Array:
    """Values without nulls; integers of 128 bits and decimals are rounded to float64."""
    import polars as pl

    dtype = series.dtype
    if dtype in (pl.Int64, pl.UInt64, pl.Float64):  # as they are: what polars casts costs, and wide tables have many
        return series.to_numpy()
    if dtype.is_decimal() or dtype.is_float() or dtype in (pl.Int128, pl.UInt128):
        return series.cast(pl.Float64).to_numpy()
    return series.to_physical().cast(pl.Int64).to_numpy()


def on_axis(column: Column, values: Array) -> Array:
    """Where values lie on the axis of bins, float64: numbers as they are, times in seconds."""
    import numpy as np

    if column.type in NUMBERS:
        return values.astype(np.float64, copy=False)
    if column.type is ColumnType.DATE:
        return values * float(_DAY_S)
    per_second = _TICKS.get(column.unit or "ns", _TICKS["ns"])
    # whole seconds and the rest apart, so that one instant is one number whatever the unit of the clock
    whole, rest = np.divmod(values, per_second)
    seconds: Array = whole + rest / per_second
    return seconds


def below(ascending: Array, edges: Array) -> Array:
    """How many of the ascending values lie below each edge."""
    import numpy as np

    counts: Array = np.searchsorted(ascending, edges, side="left")
    return counts
