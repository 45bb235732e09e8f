"""A column's values as arrays that can be compared: sorted numbers, and counts of levels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

_PLAIN = frozenset({"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"})
BLOCK = 1 << 16
"""Values that moments are summed over at once; the sums of the blocks are added in their order."""


class Numbers(NamedTuple):
    """The values of one side in ascending order, infinite ones at the ends; nulls and NaN are counted, not held."""

    values: np.ndarray
    rows: int
    missing: int
    nan: int

    @property
    def finite(self) -> np.ndarray:
        """The values without the infinite ones at their ends."""
        import numpy as np

        if self.values.dtype.kind != "f" or not len(self.values):
            return self.values
        first, last = np.searchsorted(self.values, -np.inf, "right"), np.searchsorted(self.values, np.inf, "left")
        return self.values[first:last]


class Counts(NamedTuple):
    """The levels of one side, in no order: a frame of `level` (text) and `count`; nulls and NaN are no levels."""

    frame: pl.DataFrame
    rows: int
    missing: int
    nan: int


def numbers(series: pl.Series) -> Numbers:
    """All numbers of the column, sorted; times as whole microseconds since 1970, durations and times of day as seconds.

    Copied chunk by chunk, so that a column is held twice for a moment and no more.
    """
    import numpy as np

    series = physical(series)
    missing, at = series.null_count(), 0
    values = np.empty(len(series) - missing, series.clear().to_numpy().dtype)
    for chunk in series.get_chunks():
        some = (chunk.drop_nulls() if missing else chunk).to_numpy()
        values[at : at + len(some)] = some
        at += len(some)
    values.sort()
    kept = int(np.searchsorted(values, np.nan, "left")) if values.dtype.kind == "f" else len(values)
    return Numbers(values[:kept], len(series), missing, len(values) - kept)


def physical(series: pl.Series) -> pl.Series:
    """The column as numbers that numpy knows."""
    import polars as pl

    dtype = series.dtype
    if isinstance(dtype, pl.Date | pl.Datetime):
        return series.cast(pl.Datetime("us")).to_physical()
    if isinstance(dtype, pl.Duration):
        return series.cast(pl.Duration("us")).to_physical() / 1e6
    if isinstance(dtype, pl.Time):
        return series.to_physical() / 1e9
    if isinstance(dtype, pl.Boolean):
        return series.cast(pl.UInt8)
    return series if str(dtype) in _PLAIN else series.cast(pl.Float64)


def lengths(series: pl.Series) -> pl.Series:
    """How many characters each word or text has."""
    import polars as pl

    return series.cast(pl.String).str.len_chars()


def alike(a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """Both sides with values of one type, the smallest that holds both."""
    import numpy as np

    dtype = np.result_type(a.values, b.values)
    return a._replace(values=a.values.astype(dtype, copy=False)), b._replace(values=b.values.astype(dtype, copy=False))


def counts(series: pl.Series) -> Counts:
    """How many rows each level has."""
    import polars as pl

    frame = series.rename("level").value_counts(name="count").filter(pl.col("level").is_not_null())
    missing, nan = series.null_count(), 0
    if series.dtype.is_float():
        nan = int(frame.filter(pl.col("level").is_nan()).get_column("count").sum())
        frame = frame.filter(pl.col("level").is_not_nan())
    return Counts(
        frame.select(pl.col("level").cast(pl.String), pl.col("count").cast(pl.Int64)), len(series), missing, nan
    )


def together(a: Counts, b: Counts) -> tuple[list[str], np.ndarray, np.ndarray]:
    """All levels of both sides in the order of their text, and how many rows each has on either side."""
    joined = a.frame.join(b.frame, on="level", how="full", coalesce=True).sort("level").fill_null(0)
    columns = joined.get_columns()
    return columns[0].to_list(), columns[1].to_numpy(), columns[2].to_numpy()


def moments(values: np.ndarray) -> tuple[float | None, float | None]:
    """Mean and standard deviation (of the sample, divided by n - 1); None where they cannot be computed.

    Two passes over blocks of `BLOCK` ascending values, so that neither the order of the rows nor the number of
    workers shows.
    """
    import numpy as np

    blocks = [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]
    with np.errstate(all="ignore"):
        mean = sum(float(block.sum(dtype=np.float64)) for block in blocks) / len(values) if blocks else math.nan
        squares = sum(float(np.square(block.astype(np.float64) - mean).sum()) for block in blocks)
    sd = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 and math.isfinite(squares) else math.nan
    return finite(mean), finite(sd)


def finite(value: float) -> float | None:
    """The number, or None for one that is none."""
    return value if math.isfinite(value) else None
