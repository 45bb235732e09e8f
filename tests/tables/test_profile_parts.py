"""The parts that profiles are made of, held against what they promise by themselves."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.formats.instants import iso
from audit.records.profile import FEWEST
from audit.records.table import Column, ColumnType
from audit.tables.profile import blocks as sums
from audit.tables.profile.ascending import Ascending, keys
from audit.tables.profile.edges import bins_of, edges, joined
from audit.tables.values import Held

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(sizes=st.lists(st.integers(0, 40), max_size=12), block=st.integers(1, 30))
def test_blocks_hold_the_same_whatever_the_pieces(sizes, block):
    values = np.arange(sum(sizes))
    pieces = np.split(values, np.cumsum(sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "BLOCK", block)
        found = list(sums.blocks(pieces))
    assert [len(one) for one in found[:-1]] == [block] * (len(found) - 1)
    assert np.array_equal(np.concatenate([*found, []]), values)
    assert all(len(one) for one in found)


@given(a=st.lists(st.floats(-1e6, 1e6), min_size=1), b=st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_moments_of_two_blocks_are_those_of_both_together(a, b):
    merged = sums.of_block(np.array(a)).merged(sums.of_block(np.array(b)))
    whole = sums.of_block(np.array(a + b))
    assert merged.n == whole.n
    assert merged.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-6)
    assert merged.squares == pytest.approx(whole.squares, rel=1e-9, abs=1e-6)
    assert sums.Moments().merged(whole) == whole.merged(sums.Moments()) == whole


@given(values=st.lists(FINITE) | st.lists(st.integers(-(2**63), 2**63 - 1)) | st.lists(st.integers(2**63, 2**64 - 1)))
def test_keys_sort_as_values_do(values):
    array = np.array([value + 0.0 if isinstance(value, float) else value for value in values])
    found = keys(array)
    assert np.array_equal(np.argsort(found, kind="stable"), np.argsort(array, kind="stable"))
    assert len(np.unique(found)) == len(np.unique(array))


@settings(deadline=None)
@given(values=st.lists(FINITE | st.sampled_from([0.0, 1.0]), max_size=200), limit=st.integers(1, 50))
def test_what_is_sorted_by_ranges_is_never_more_than_there_is_room_for(values, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.tables.profile.ascending.BLOCK", limit)
        pieces = list(Ascending(Held(pl.Series(values, dtype=pl.Float64)), len(values), limit * 8).pieces())
    assert all(len(piece) <= limit for piece in pieces)
    assert [value for piece in pieces for value in piece] == sorted(values)


@settings(deadline=None)
@given(cuts=st.lists(FINITE, max_size=60).map(sorted), step=st.sampled_from([0.0, 1.0]))
def test_edges_ascend_and_stay_near_their_cuts(cuts, step):
    found = edges(cuts, min(cuts, default=0.0), max(cuts, default=0.0), step)
    assert list(found.at) == sorted(set(found.at))
    assert all(map(math.isfinite, found.at))
    exact = sorted(set(cuts))
    for before, one, after in zip([-math.inf, *exact], exact, [*exact[1:], math.inf], strict=False):
        near = min(one - before, after - one)
        assert min((abs(edge - one) for edge in found.at), default=0.0) <= near / 20 * (1 + 1e-9) or near == math.inf
    assert found.opens <= set(cuts)


@given(data=st.data(), cuts=st.lists(st.integers(-9, 9), max_size=30).map(sorted))
def test_no_bin_holds_a_few(data, cuts):
    found = edges(list(map(float, cuts)), -9.0, 9.0, 1.0)
    size = len(found.at) + 1
    counts = data.draw(st.lists(st.sampled_from([0, 1, 19, 20, 60]), min_size=size, max_size=size))
    bins = joined(found, counts)
    assert sum(bins.counts) == sum(counts)
    assert len(bins.counts) == len(bins.edges) + 1
    assert set(bins.edges) <= set(found.at)
    below = dict(zip([*found.at, math.inf], np.cumsum(counts).tolist(), strict=True))
    ends = [*bins.edges, math.inf]
    assert np.cumsum(bins.counts).tolist() == [below[end] for end in ends]
    assert len(bins.counts) == 1 or all(not count or count >= FEWEST for count in bins.counts)
    starts = [-math.inf, *bins.edges]
    for start, count, end in zip(starts, bins.counts, ends, strict=True):
        beside_atoms = start in {-math.inf, *found.closes} and end in {math.inf, *found.opens}
        assert count or beside_atoms or len(bins.counts) == 1


def test_a_wide_table_has_fewer_bins_a_column():
    assert [bins_of(columns) for columns in (0, 1, 256, 1000, 10_000, 10**6)] == [256, 256, 256, 65, 16, 16]


def test_a_hostile_instant_is_no_error():
    column = Column(name="t", type=ColumnType.TIMESTAMP, physical="", unit="parsec")
    for ticks in (2**200, -(2**200), 1e308, -5e-324, 0):
        assert isinstance(iso(column, ticks), str)
