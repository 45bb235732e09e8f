"""A column's values as arrays that can be compared: sorted numbers, and counts of levels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from audit.tables.values import VALUE, Held, Values

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


class Rows(NamedTuple):
    """What is missing on one side, and of how many rows, where its values are not at hand."""

    rows: int
    missing: int
    nan: int


def numbers(values: Values, rows: int, told: Callable[[pl.Series], pl.Series] | None = None) -> Numbers:
    """All numbers of a column of so many rows, sorted; times as whole microseconds since 1970, durations in seconds.

    `told` makes numbers of other values. Copied piece by piece, so that a column is held but once.
    """
    import numpy as np

    held, at, seen, missing = None, 0, 0, 0
    for batch in values.batches():
        series = physical(told(batch) if told else batch)
        seen, missing = seen + len(series), missing + series.null_count()
        for chunk in series.get_chunks():
            some = chunk.drop_nulls().to_numpy()
            held = np.empty(rows, some.dtype) if held is None else held
            held[at : at + len(some)] = some
            at += len(some)
    held = np.empty(0) if held is None else held[:at]
    held.sort()
    kept = int(np.searchsorted(held, np.nan, "left")) if held.dtype.kind == "f" else len(held)
    return Numbers(held[:kept], seen, missing, len(held) - kept)


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


def counts(values: Values) -> Counts:
    """How many rows each level has."""
    import polars as pl

    level = pl.col("level")
    frame = _counted(values)
    missing = int(frame.filter(level.is_null()).get_column("count").sum())
    rows, nan, frame = int(frame.get_column("count").sum()), 0, frame.filter(level.is_not_null())
    if frame.schema["level"].is_float():
        nan = int(frame.filter(level.is_nan()).get_column("count").sum())
        frame = frame.filter(level.is_not_nan())
    return Counts(frame.select(level.cast(pl.String), pl.col("count").cast(pl.Int64)), rows, missing, nan)


def _counted(values: Values) -> pl.DataFrame:
    """Series count fast, and files without holding all of them."""
    import polars as pl

    if isinstance(values, Held):
        (series,) = values.batches()
        return series.alias("level").value_counts(name="count")
    grouped = values.frame().group_by(pl.col(VALUE).alias("level"))
    return grouped.agg(pl.len().alias("count")).collect(engine="streaming")


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
