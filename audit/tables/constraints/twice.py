"""Rows that are like one above them, found in little memory: exact, though hashes lead the way.

Equal rows have equal hashes, so only rows whose hash stands twice need to be compared. The
hashes are sorted, 8 bytes a row, where a table of all values would take many times that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_SEED = 20_260_101  # any will do: what is found does not depend on it


def again(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the frame that are equal, but for the column `row`, to one above them; none of them has a null."""
    import polars as pl

    if not frame.height:
        return frame
    values = frame.drop("row")
    nested = any(dtype.is_nested() for dtype in values.dtypes)
    some = frame if nested else frame.filter(_twice(values.hash_rows(seed=_SEED)))
    first = some.select(pl.struct(pl.exclude("row")).is_first_distinct()).to_series()
    return some.filter(~first)


def _twice(hashes: pl.Series) -> pl.Series:
    ordered = hashes.sort()
    repeated = ordered.filter(ordered == ordered.shift(1)).unique()
    return hashes.is_in(repeated.implode())
