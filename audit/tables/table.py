"""A table that is open: its columns, and the values of one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.table import Column, Source
from audit.records.text import nearest
from audit.tables.names import exactly, nameless
from audit.tables.scan import scan
from audit.tables.types import column
from audit.tables.where import condition

if TYPE_CHECKING:
    import polars as pl


class Table:
    """The rows of a source, lazily. Nothing is read until a column is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def frame(self) -> pl.LazyFrame:
        """All rows and columns of the source, its `where` applied.

        Raises `CannotLook` if a file is no table, or not of the same columns as the first.
        """
        wanted = self.source.where
        if not wanted:
            return self._whole
        return self._whole.filter([condition(self.column(name), some) for name, some in wanted])

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the order of the table."""
        if self.source.columns:
            return self.source.columns
        return tuple(column(name, dtype) for name, dtype in self._whole.collect_schema().items())

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
        known = [one.name for one in self.columns]
        raise CannotLook(f"no column is called {name!r}", hint=nearest(name, known))

    def values(self, name: str) -> pl.Series:
        """All values of one column, in the order of the rows; the series has no name."""
        return nameless(self.select([name]).get_column(name))

    def select(self, names: Sequence[str]) -> pl.DataFrame:
        """All rows of some columns, in their order."""
        known = {one.name for one in self.columns}
        for name in names:
            if name not in known:
                self.column(name)
        return self.frame.select([exactly(name) for name in names]).collect()

    @cached_property
    def _whole(self) -> pl.LazyFrame:
        return scan(self.source)
