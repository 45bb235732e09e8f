"""A table that is open: its columns, and the values of one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.table import Column, Source
from audit.tables.types import column

if TYPE_CHECKING:
    import polars as pl


class Table:
    """The rows of a source, lazily. Nothing is read until a column is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def frame(self) -> pl.LazyFrame:
        """All rows and columns of the source, its `where` applied."""
        import polars as pl

        files, wanted = list(self.source.files), self.source.where
        scan = (
            pl.scan_parquet(files, hive_partitioning=self.source.hive)
            if self.source.format == "parquet"
            else pl.scan_ipc(files)
        )
        if not wanted:
            return scan
        return scan.filter([_of(name).cast(pl.String).is_in([str(one) for one in some]) for name, some in wanted])

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the order of the table."""
        if self.source.columns:
            return self.source.columns
        return tuple(column(name, dtype) for name, dtype in self.frame.collect_schema().items())

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        import polars as pl

        return int(self.frame.select(pl.len()).collect().item())

    def column(self, name: str) -> Column:
        """The column of that name. Raises `CannotLook` if there is none."""
        for one in self.columns:
            if one.name == name:
                return one
        raise CannotLook(f"no column is called {name!r}")

    def values(self, name: str) -> pl.Series:
        """All values of one column, in the order of the rows."""
        return self.select([name]).get_column(name)

    def select(self, names: Sequence[str]) -> pl.DataFrame:
        """All rows of some columns, in their order."""
        return self.frame.select([_of(name) for name in names]).collect()


def _of(name: str) -> pl.Expr:
    """The column of exactly that name: `pl.col` takes `*` and what begins with `^` and ends with `$` for patterns."""
    from polars import selectors

    return selectors.by_name(name).as_expr()
