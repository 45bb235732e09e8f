"""Columns as numbers that a tree can split: levels as codes, times as seconds, missing as NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.records.table import Column, ColumnType

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

LEVELS = 200
"""Levels of a column that are told apart; the rarer ones are one."""

_LARGEST = 1e300
_NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.FLOAT, ColumnType.BOOLEAN})
_TIMES = frozenset({ColumnType.TIMESTAMP, ColumnType.DATE, ColumnType.DURATION, ColumnType.TIME})
_WORDS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})
_NAMES = frozenset({ColumnType.INTEGER, ColumnType.STRING, ColumnType.CATEGORICAL})


def family(column: Column) -> str:
    """How to encode it: `number`, `time`, `words`, `nothing` (all missing), or "" where that is not possible."""
    if column.type is ColumnType.NULL:
        return "nothing"
    for name, types in (("number", _NUMBERS), ("time", _TIMES), ("words", _WORDS)):
        if column.type in types:
            return name
    return ""


def names_rows(column: Column, values: pl.Series) -> bool:
    """Whether it looks like an identifier: whole numbers or words, no two rows with the same."""
    present = values.drop_nulls()
    return column.type in _NAMES and len(present) > 1 and present.n_unique() == len(present)


def numbers(values: pl.Series) -> NDArray[np.float64]:
    """A column as float64: true is 1, times are seconds (since 1970, where they have a date), missing is NaN."""
    import numpy as np
    import polars as pl

    if values.dtype.is_temporal():
        scale = 1e6
        values = _microseconds(values)
    else:
        scale = 1.0
    found: NDArray[np.float64] = np.array(values.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(), float)
    return np.nan_to_num(found / scale, nan=np.nan, posinf=_LARGEST, neginf=-_LARGEST)


def codes(parts: Sequence[pl.Series], levels: int = LEVELS) -> list[NDArray[np.float64]]:
    """Columns of words as codes over their pooled levels, the most frequent first, by name where equally frequent.

    The rarer levels beyond the first `levels` share one code; missing is NaN.
    """
    import numpy as np
    import polars as pl

    words = [part.cast(pl.String) for part in parts]
    pooled = (
        pl.concat(words).drop_nulls().rename("level").value_counts().sort(["count", "level"], descending=[True, False])
    )
    kept = pooled.get_column("level").head(levels)
    known = pl.DataFrame({"level": kept, "code": np.arange(len(kept), dtype=np.float64)})
    return [_coded(part, known) for part in words]


def _coded(words: pl.Series, known: pl.DataFrame) -> NDArray[np.float64]:
    import numpy as np
    import polars as pl

    joined = pl.DataFrame({"level": words}).join(known, on="level", how="left", maintain_order="left")
    other = pl.when(pl.col("level").is_null()).then(float("nan")).otherwise(float(len(known)))
    found: NDArray[np.float64] = np.array(joined.select(pl.col("code").fill_null(other)).to_series().to_numpy(), float)
    return found


def _microseconds(values: pl.Series) -> pl.Series:
    import polars as pl

    if isinstance(values.dtype, pl.Duration):
        return values.dt.total_microseconds()
    if isinstance(values.dtype, pl.Time):
        return values.cast(pl.Int64) // 1000
    return values.cast(pl.Datetime("us")).cast(pl.Int64)
