"""The shapes of data that exhibits are drawn from; what has another shape is shown as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import msgspec

from audit.records.findings import Scalar

SERIES = 4
"""That many series can be told apart by their stroke alone; more are shown as JSON."""

SKETCH_TOP = 99
"""The height of the tallest bin of a sketch."""

PAIR = 2


class Table(msgspec.Struct):
    """`table`: rows under named columns."""

    columns: list[str]
    rows: list[list[Scalar]]


class Bars(msgspec.Struct):
    """`bars`: one value for each label."""

    labels: list[str | int | float]
    values: list[float]

    def __post_init__(self) -> None:
        demand(len(self.labels) == len(self.values) > 0, self.values)


class GroupedBars(msgspec.Struct):
    """`bars2`: for each label one value, not negative, of each named series; None is the label of what is missing."""

    labels: list[Scalar]
    series: dict[str, list[float]]

    def __post_init__(self) -> None:
        demand(self.labels and 0 < len(self.series) <= SERIES, [])
        for values in self.series.values():
            demand(len(values) == len(self.labels) and min(values) >= 0, values)


class Histogram(msgspec.Struct):
    """`histogram`: `counts` between ascending `edges`, or several named `series` of counts over the same edges.

    `unit` stands beside the axis; edges in `us` are microseconds since 1970 in UTC, and shown as times.
    """

    edges: list[float]
    counts: list[float] | None = None
    series: dict[str, list[float]] = {}
    unit: str = ""

    def __post_init__(self) -> None:
        bins = len(self.edges) - 1
        demand(bins > 0 and all(low < high for low, high in pairwise(self.edges)), self.edges)
        demand(0 < len(self.named()) <= SERIES, [])
        for counts in self.named().values():
            demand(len(counts) == bins and min(counts) >= 0, counts)

    def named(self) -> dict[str, list[float]]:
        """All series; the nameless one is called `count`."""
        return {**({} if self.counts is None else {"count": self.counts}), **self.series}


class ColumnRow(msgspec.Struct, array_like=True):
    """One column of two tables: what was measured, and a small picture of each side.

    A sketch has one height for each of a few bins, from 0 to 99; both share one scale.
    """

    column: str
    kind: str
    measure: str
    effect: float | None
    tolerance: float | None
    chance: float | None
    detectable: float | None
    outcome: str
    missing_reference: float | None
    missing_current: float | None
    sketch_reference: list[int] | None = None
    sketch_current: list[int] | None = None

    def __post_init__(self) -> None:
        numbers = (self.effect, self.tolerance, self.chance, self.detectable, self.missing_reference)
        demand(holds=True, numbers=[one for one in (*numbers, self.missing_current) if one is not None])
        for sketch in (self.sketch_reference, self.sketch_current):
            demand(not sketch or 0 <= min(sketch) <= max(sketch) <= SKETCH_TOP, [])


class Columns(msgspec.Struct):
    """`columns`: the columns of two tables side by side, which are called by `names`: the reference first."""

    names: list[str]
    rows: list[ColumnRow]

    def __post_init__(self) -> None:
        demand(len(self.names) == PAIR, [])


class Text(msgspec.Struct):
    """`text`: lines as they are."""

    text: str


def demand(holds: object, numbers: Iterable[float]) -> None:
    """Raise `ValueError` unless it holds and the numbers are finite."""
    if not (holds and all(map(math.isfinite, numbers))):
        raise ValueError("not what can be drawn")
