"""The profile of a column of numbers or times, from one walk over its sorted values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from audit.formats.instants import iso
from audit.records.profile import FEWEST, PROBABILITIES, Bins, ColumnProfile
from audit.records.table import Column, ColumnType
from audit.tables.numeric import NUMBERS, below, on_axis
from audit.tables.profile.ascending import Ascending
from audit.tables.profile.blocks import Moments, blocks, of_block
from audit.tables.profile.edges import edges, joined
from audit.tables.values import VALUE, Values

if TYPE_CHECKING:
    from audit.tables.numeric import Array

_SAFE = 1e100
_STEPS = {ColumnType.INTEGER: 1.0, ColumnType.DATE: 86_400.0}
_WIDE = ("int128", "uint128")


class Size(NamedTuple):
    """What a profile may take: rows of the table, bins a column, bytes of memory for its values."""

    rows: int
    bins: int
    budget: int


def number_profile(column: Column, values: Values, size: Size) -> ColumnProfile:
    """The profile of a column of numbers or times."""
    ascending = Ascending(values, size.rows, size.budget)
    tally = ascending.tally
    counted = ColumnProfile(
        column=column,
        rows=tally.rows,
        missing=tally.missing,
        nan=tally.nan,
        infinite=tally.infinite,
        negative_infinite=tally.negative_infinite,
        distinct=0,
    )
    return _described(counted, ascending, values, size.bins) if tally.finite else counted


def _described(counted: ColumnProfile, ascending: Ascending, values: Values, bins: int) -> ColumnProfile:
    from msgspec.structs import replace

    column, n = counted.column, counted.finite
    quantiles, cuts = [_rank(p, n) for p in PROBABILITIES], _cuts(n, bins)
    walk = _Walk({1, n, *quantiles, *cuts}, _scale(ascending.largest) if column.type in NUMBERS else None)
    for block in blocks(ascending.pieces()):
        walk.over(block)
    at = walk.found
    low, high = _extremes(column, values) or (at[1].item(), at[n].item())
    mean, deviation = walk.figures(low, high)
    return replace(
        counted,
        distinct=None if column.physical in _WIDE else walk.distinct,
        minimum=low,
        maximum=high,
        earliest=iso(column, low),
        latest=iso(column, high),
        mean=mean,
        deviation=deviation,
        quantiles=tuple(at[rank].item() for rank in quantiles),
        bins=_bins(column, ascending, [at[rank] for rank in (1, *cuts, n)]),
    )


def _cuts(n: int, most: int) -> list[int]:
    """The ranks at which bins are cut, equally spaced; a quarter over enough rows for each, since edges are rounded."""
    bins = max(1, min(most, n * 4 // (FEWEST * 5)))
    return [-(-i * n // bins) for i in range(1, bins)]


def _rank(probability: float, n: int) -> int:
    """The rank of a quantile, 1 to n: ceil(p n), where p is meant as hundredths and no float64 near them."""
    return max(1, -(-round(probability * 100) * n // 100))


def _scale(largest: float) -> float:
    """A power of two to divide by, so that squares neither overflow nor vanish; 1 for usual numbers."""
    if not largest or 1 / _SAFE < largest < _SAFE:
        return 1.0
    return math.ldexp(1.0, max(math.frexp(largest)[1] - 1, -1022))


class _Walk:
    """What one walk over ascending blocks gathers; `scale` is None where there is no mean."""

    def __init__(self, ranks: Iterable[int], scale: float | None) -> None:
        self._ranks = sorted(ranks, reverse=True)
        self._scale = scale
        self._seen = 0
        self._last: Array | None = None
        self._moments = Moments()
        self.distinct = 0
        self.found: dict[int, Array] = {}

    def over(self, block: Array) -> None:
        """The next block."""
        import numpy as np

        self.distinct += int(np.count_nonzero(block[1:] != block[:-1])) + int(
            self._last is None or block[0] != self._last
        )
        self._last = block[-1]
        self._seen += len(block)
        while self._ranks and self._ranks[-1] <= self._seen:
            rank = self._ranks.pop()
            self.found[rank] = block[rank - self._seen - 1]
        if self._scale is not None:
            self._moments = self._moments.merged(of_block(block.astype(np.float64) / self._scale))

    def figures(self, low: float, high: float) -> tuple[float | None, float | None]:
        """Mean and deviation; None where there is none, or it is beyond float64."""
        if self._scale is None:
            return None, None
        deviation = self._moments.deviation
        if low == high:
            return _finite(low), None if deviation is None else 0.0
        mean = min(max(self._moments.mean * self._scale, low), high)
        return _finite(mean), None if deviation is None else _finite(deviation * self._scale)


def _finite(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None


def _extremes(column: Column, values: Values) -> tuple[int, int] | None:
    """Integers of 128 bits, which arrays hold only rounded."""
    if column.physical not in _WIDE:
        return None
    import polars as pl

    frame = values.frame().select(low=pl.col(VALUE).min(), high=pl.col(VALUE).max()).collect(engine="streaming")
    low, high = frame.row(0)
    return int(low), int(high)


def _bins(column: Column, ascending: Ascending, cuts: Sequence[Array]) -> Bins:
    """The bins between cuts; the first and the last of these are the column's extremes."""
    import numpy as np

    low, *inner, high = on_axis(column, np.array(cuts)).tolist()
    found = edges(inner, low, high, _STEPS.get(column.type, 0.0))
    at = np.array(found.at)
    under = np.zeros(len(at), np.int64)
    for block in blocks(ascending.pieces()):
        under += below(on_axis(column, block), at)
    counts = np.diff(under, prepend=0, append=ascending.tally.finite)
    return joined(found, counts.tolist())
