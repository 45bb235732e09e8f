"""Tables written to a folder, opened, and profiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from audit.records.profile import ColumnProfile, TableProfile
from audit.records.table import Source
from audit.tables.profile.profile import profile
from audit.tables.table import Table


def opened(frame: pl.DataFrame, folder: Path, **options: Any) -> Table:
    """The frame as a table of one Parquet file; `options` are of `write_parquet`."""
    file = folder / "table.parquet"
    frame.write_parquet(file, **options)
    return Table(Source(files=(str(file),), format="parquet"))


def profiled(frame: pl.DataFrame, folder: Path, memory: int | None = None, **options: Any) -> TableProfile:
    """The profile of the frame, written and read."""
    return profile(opened(frame, folder, **options), memory)


def of_column(values: Any, folder: Path, dtype: Any = None, memory: int | None = None) -> ColumnProfile:
    """The profile of one column of these values."""
    return profiled(pl.DataFrame({"x": pl.Series(values, dtype=dtype, strict=True)}), folder, memory).columns[0]
