"""Tests for rows that are not independent: the p-values of a pair by dealing whole groups, not rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from audit.measures import groups, ks, shares
from audit.records.drift import Pair, Test
from audit.tables.pair.levels import SEED
from audit.tables.pair.strata import Sides
from audit.tables.pair.values import lengths, physical

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

BINS = 32
"""Bins that numbers are dealt in, cut at quantiles of both sides together."""

_LEVELS = 200  # the commonest; the rest are dealt as one
_FEWEST_BINS = 8
_CELLS = 4_000_000  # groups times bins: more groups have fewer bins
_LABELS = 200_000_000  # groups times draws: some seconds
_MOST_DRAWS = 200_000


class Owners(NamedTuple):
    """The group of each row on both sides, as numbers below `groups`, equal for equal values."""

    reference: pl.Series
    current: pl.Series
    groups: int


def owners(sides: Sides) -> Owners:
    """The groups of both sides; rows without a value are one group."""
    import polars as pl

    texts = [side.cast(pl.String).fill_null("\0") for side in sides]
    names = pl.concat(texts).unique().sort()
    places = pl.Enum(names)
    return Owners(texts[0].cast(places).to_physical(), texts[1].cast(places).to_physical(), len(names))


def retested(pair: Pair, values: Sides, groups_of: Owners, below: float) -> Pair:
    """The pair with p-values and sizes of a test that deals whole groups."""
    if not len(groups_of.reference) or not len(groups_of.current):
        return pair
    return replace(pair, tests=tuple(_retested(test, pair, values, groups_of, below) for test in pair.tests))


def _retested(test: Test, pair: Pair, values: Sides, groups_of: Owners, below: float) -> Test:
    import numpy as np

    statistic: Literal["ks", "tv"] = "ks" if test.name in {"ks", "length_ks"} else "tv"
    most = min(_CELLS // groups_of.groups, _LEVELS)
    bins = _binned(test, pair, values, max(most, _FEWEST_BINS))
    shape = groups_of.groups, 1 + max(int(places.max(initial=0)) for places in bins)
    sides = [_histograms(places, owner, shape) for places, owner in zip(bins, groups_of[:2], strict=True)]
    kept = [np.flatnonzero(side.sum(axis=1)) for side in sides]
    a, b = (side[some] for side, some in zip(sides, kept, strict=True))
    _, x, y = np.intersect1d(kept[0], kept[1], assume_unique=True, return_indices=True)
    worth = groups.effective_rows(a, statistic), groups.effective_rows(b, statistic)
    draws = min(_MOST_DRAWS, math.ceil(2 / below))
    if draws * (len(a) + len(b)) <= _LABELS:
        p = groups.p_value(a, b, np.stack([x, y], axis=1), statistic, draws=draws, seed=SEED)
        how = "groups"
    else:
        p, how = _by_worth(test, a, b, worth, below), "effective rows"
    blind = 1 / groups.arrangements(len(a), len(b), len(x)) > below
    return replace(test, p=p, how=how, worth=worth, groups=(len(a), len(b)), blind=blind)


def _by_worth(test: Test, a: np.ndarray, b: np.ndarray, worth: tuple[float, float], below: float) -> float:
    """So many groups that dealing them takes too long: as many independent rows as they are worth."""
    import numpy as np

    n, m = (max(1, int(rows)) for rows in worth)
    if test.name in {"ks", "length_ks"}:
        return ks.p_value(test.effect, n, m)
    p, q = a.sum(axis=0), b.sum(axis=0)
    fewer = [np.rint(side / side.sum() * rows).astype(np.int64) for side, rows in ((p, n), (q, m))]
    return shares.p_value(*fewer, below=below, seed=SEED)[0] if all(side.sum() for side in fewer) else 1.0


def _histograms(bins: np.ndarray, owner: pl.Series, shape: tuple[int, int]) -> np.ndarray:
    """Rows of each group in each bin; a bin below zero is none."""
    import numpy as np

    held, places = bins >= 0, owner.to_numpy().astype(np.int64)
    flat = np.bincount(places[held] * shape[1] + bins[held], minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def _binned(test: Test, pair: Pair, values: Sides, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The bin or level of each row, on both sides; the last bin has rows of one of them."""
    if test.name == "missing":
        return _flags(values.reference.is_null(), values.current.is_null())
    if test.name == "nan":
        return _flags(*(side.is_nan().fill_null(value=False) for side in values))
    if pair.kind == "category":
        return _levels(values, most)
    numbers = Sides(*map(lengths, values)) if test.name == "length_ks" else values
    return _quantiled(numbers, min(most, BINS))


def _flags(*sides: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    a, b = (side.to_numpy().astype(np.int64) for side in sides)
    return a, b


def _levels(values: Sides, most: int) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np
    import polars as pl

    texts = [side.cast(pl.String) for side in values]
    common = pl.concat(texts).drop_nulls().rename("level").value_counts(name="count")
    names = common.sort(["count", "level"], descending=[True, False]).get_column("level").head(most - 1)
    places = pl.DataFrame({"level": names, "place": np.arange(len(names))})
    found = []
    for text in texts:
        joined = text.to_frame("level").join(places, on="level", how="left", maintain_order="left")
        place = joined.get_column("place").fill_null(len(names)).to_numpy().astype(np.int64)
        found.append(np.where(text.is_null().to_numpy(), -1, place))
    return found[0], found[1]


def _quantiled(values: Sides, bins: int) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    a, b = (physical(side).to_numpy().astype(np.float64) for side in values)
    pooled = np.concatenate([a, b])
    pooled = np.sort(pooled[~np.isnan(pooled)])
    ranks = np.arange(1, bins) * len(pooled) // bins
    edges = np.unique(pooled[ranks]) if len(pooled) else pooled
    return _placed(a, edges), _placed(b, edges)


def _placed(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
