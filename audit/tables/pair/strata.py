"""Rows that belong together: strata within which columns are compared, and groups that change sides as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from audit.tables.pair.values import Counts, counts
from audit.tables.values import Held

if TYPE_CHECKING:
    import polars as pl

MOST_STRATA = 20
"""Strata that are compared, those of the most rows in the reference."""


class Sides(NamedTuple):
    """One series a side, of equal meaning."""

    reference: pl.Series
    current: pl.Series


class Strata:
    """The values of the column that separates strata, on both sides.

    `left_out` counts those of both sides that are not compared, `rows_left_out` the rows of both sides that are in
    none that is: beyond the largest, on one side only, or without a value.
    """

    def __init__(self, sides: Sides) -> None:
        import polars as pl

        self._sides = Sides(sides.reference.cast(pl.String), sides.current.cast(pl.String))
        self.counts: tuple[Counts, Counts] = (
            counts(Held(self._sides.reference)),
            counts(Held(self._sides.current)),
        )
        a, b = (side.frame for side in self.counts)
        both = a.join(b, on="level").sort(["count", "level"], descending=[True, False]).get_column("level").to_list()
        self.names = sorted(both[:MOST_STRATA])
        self.left_out = len(both) - len(self.names)
        compared = pl.col("level").is_in(self.names)
        self.rows_left_out = sum(
            side.rows - int(side.frame.filter(compared).get_column("count").sum()) for side in self.counts
        )

    def parts(self, sides: Sides) -> Iterator[tuple[str, Sides]]:
        """The rows of each stratum."""
        for name in self.names:
            masks = [(side == name).fill_null(value=False) for side in self._sides]
            yield name, Sides(sides.reference.filter(masks[0]), sides.current.filter(masks[1]))
