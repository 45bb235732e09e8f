"""The edges of a column's bins: at its quantiles, but none that shows what a single row holds.

Quantiles are values of rows, so edges are not quite quantiles: each is rounded to a grid
of a tenth of its distance to the nearer neighbour or less. A value that so many rows share
that it is two quantiles in a row, `FEWEST` or more, is an atom and nobody's own: it stays
as it is, and its bin ends at the next possible value, for a distance between distributions
is only as exact as their atoms are told apart. In the end every bin holds `FEWEST` rows or
more, or none: between two atoms, below the lowest value where that is one, above the highest.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from audit.records.profile import FEWEST, Bins

MOST_BINS = 256
_ALL_BINS = 1 << 16
_LEAST_BINS = 16


def bins_of(columns: int) -> int:
    """How many bins a column may have in a table of so many columns: a wide table's profile must not outgrow it."""
    return max(_LEAST_BINS, min(MOST_BINS, _ALL_BINS // max(columns, 1)))


class Edges(NamedTuple):
    """Ascending edges; `opens` are those where an atom begins, `closes` those behind one."""

    at: tuple[float, ...]
    opens: frozenset[float] = frozenset()
    closes: frozenset[float] = frozenset()


def edges(cuts: Sequence[float], low: float, high: float, step: float = 0.0) -> Edges:
    """The edges for cuts: values of the column at equally spaced quantiles, ascending, repeated where equal.

    `low` and `high` are the column's extremes; `step` is the least distance of two values
    where there is one, as of integers.
    """
    atoms = {cut for cut, times in Counter(cuts).items() if times > 1}
    ends = (max(atom + step, math.nextafter(atom, math.inf)) for atom in atoms)
    closes = {end for end in ends if math.isfinite(end)}
    exact = sorted({*cuts, *closes})
    kept = atoms | closes
    near = [_apart(around) for around in _around(exact, low, high)]
    at = {one if one in kept else _rounded(one, apart) for one, apart in zip(exact, near, strict=True)}
    return Edges(tuple(sorted(at)), frozenset(atoms), frozenset(closes))


def _around(exact: Sequence[float], low: float, high: float) -> Iterator[tuple[float, float, float]]:
    """Each with its neighbours; the only one is between the extremes, the first and the last have one."""
    outer = (low, high) if len(exact) == 1 else (-math.inf, math.inf)
    yield from zip((outer[0], *exact), exact, (*exact[1:], outer[1]), strict=False)


def _apart(around: tuple[float, float, float]) -> float:
    """The distance to the nearer neighbour that is another value."""
    before, one, after = around
    return min((apart for apart in (one - before, after - one) if apart), default=0.0)


def _rounded(one: float, apart: float) -> float:
    """To the coarsest decimal place that is a tenth of the distance or less."""
    if not apart:
        return one
    try:
        return round(one, 1 - math.floor(math.log10(min(apart, sys.float_info.max)))) + 0.0
    except OverflowError:
        return one


def joined(found: Edges, counts: Sequence[int]) -> Bins:
    """The bins of these counts, those of too few rows joined with a neighbour."""
    bins = list(_closed(found, counts))
    while len(bins) > 1 and bins[-1][1] < FEWEST and not (bins[-1][1] == 0 and bins[-2][0] in found.closes):
        _, few = bins.pop()
        bins[-1] = (math.inf, bins[-1][1] + few)
    return Bins(edges=tuple(end for end, _ in bins[:-1]), counts=tuple(count for _, count in bins))


def _closed(found: Edges, counts: Iterable[int]) -> Iterator[tuple[float, int]]:
    """Bins by their ends, from below: an edge stands if enough rows are before it, or none between two atoms."""
    held, after_atom = 0, True
    for end, count in zip((*found.at, math.inf), counts, strict=True):
        held += count
        empty = not held and after_atom and end in found.opens
        if held >= FEWEST or empty or end == math.inf:
            yield end, held
            held, after_atom = 0, end in found.closes
