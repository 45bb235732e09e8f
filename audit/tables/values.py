"""The values of one column, batch by batch, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from audit.records.table import Column
from audit.tables.names import nameless
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

VALUE = "value"
"""What a column is called while it is read: its own name may be a pattern to polars, or anything else."""

_BATCH = 1 << 18
_TOGETHER = 500
_HELD = 32 << 20
_WIDTH = 16


class Values(Protocol):
    """A column to read."""

    def batches(self) -> Iterator[pl.Series]:
        """All its values in the order of the rows, in one or more pieces."""

    def frame(self) -> pl.LazyFrame:
        """The column as `VALUE`, alone."""


class Streamed:
    """A column that is read from its files whenever its values are wanted."""

    def __init__(self, table: Table, name: str) -> None:
        self._table, self._name = table, name

    def frame(self) -> pl.LazyFrame:
        """The column as `VALUE`, alone."""
        from polars import selectors

        return self._table.frame.select(selectors.by_name(self._name).alias(VALUE))

    def batches(self) -> Iterator[pl.Series]:
        """Pieces of some 260,000 rows."""
        for frame in self.frame().collect_batches(chunk_size=_BATCH, lazy=True):
            yield frame.get_column(VALUE)


class Held:
    """A column whose values are in memory."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series.alias(VALUE)

    def frame(self) -> pl.LazyFrame:
        """The column as `VALUE`, alone."""
        return self._series.to_frame().lazy()

    def batches(self) -> Iterator[pl.Series]:
        """The whole."""
        yield self._series


def by_column(table: Table) -> Iterator[tuple[Column, Values]]:
    """Each column of a table with its values, in order; of short tables many are read at once."""
    together = min(_TOGETHER, _HELD // (max(table.rows, 1) * _WIDTH))
    for first in range(0, len(table.columns), max(together, 1)):
        columns = table.columns[first : first + max(together, 1)]
        yield from _held(table, columns) if together else ((one, Streamed(table, one.name)) for one in columns)


def _held(table: Table, columns: Sequence[Column]) -> Iterator[tuple[Column, Values]]:
    frame = table.select([one.name for one in columns])
    for column in columns:
        yield column, Held(nameless(frame.get_column(column.name)))
