"""Counts over what a profile knows add up to what it holds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.profiles import opened

from audit.errors import CannotLook
from audit.formats.keyed import keyed
from audit.tables.profile.binned import counts, level_counts
from audit.tables.profile.profile import profile

SALT = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "series",
    [
        pl.Series(np.random.default_rng(1).standard_normal(4000)),
        pl.Series(np.random.default_rng(2).integers(-(2**63), 2**63 - 1, 4000)),
        pl.Series([None, 1.5, float("nan"), float("inf"), -float("inf")] * 300),
        pl.Series(np.random.default_rng(3).integers(0, 10**18, 4000)).cast(pl.Datetime("ns", "UTC")),
        pl.Series(np.random.default_rng(3).integers(0, 3, 4000), dtype=pl.UInt8),
    ],
)
def test_a_column_over_its_own_edges_is_as_its_profile_says(tmp_path, series, monkeypatch):
    monkeypatch.setattr("audit.tables.values._BATCH", 321)
    table = opened(pl.DataFrame({"x": series}), tmp_path)
    known = profile(table).columns[0]
    found = counts(table, "x", known.bins.edges)
    assert found.bins == known.bins
    assert (found.rows, found.missing, found.nan, found.infinite) == (
        known.rows,
        known.missing,
        known.nan,
        known.infinite,
    )


@settings(deadline=None)
@given(
    parts=st.lists(st.lists(st.none() | st.floats(), max_size=30), min_size=1, max_size=4),
    edges=st.sets(st.floats(allow_nan=False, allow_infinity=False), max_size=9).map(sorted),
)
def test_counts_of_parts_add_up_to_those_of_the_whole(tmp_path_factory, parts, edges):
    folder = tmp_path_factory.mktemp("parts")

    def of(values):
        table = opened(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)}), folder)
        return np.array(counts(table, "x", edges).bins.counts)

    assert np.array_equal(sum(map(of, parts)), of([value for part in parts for value in part]))


@pytest.mark.parametrize("salt", ["", SALT])
def test_levels_that_are_known_and_others(tmp_path, salt):
    long = "y" * 1000
    table = opened(pl.DataFrame({"x": ["a", "b", "a", None, "new", "newer", long]}), tmp_path)
    names = [level.value for level in profile(table).columns[0].levels if level.value[0] != "n"]
    asked = [*names, "gone"]
    found = level_counts(table, "x", list(map(keyed(salt), asked)) if salt else asked, salt)
    assert dict(zip([name[0] for name in asked], found.counts, strict=True)) == {"a": 2, "b": 1, "y": 1, "g": 0}
    assert (found.rows, found.missing, found.other_levels, found.other_rows) == (7, 1, 2, 2)


def test_a_column_that_is_not_there_cannot_be_counted(tmp_path):
    table = opened(pl.DataFrame({"x": [1]}), tmp_path)
    for wish in (lambda: counts(table, "y", ()), lambda: level_counts(table, "y", ())):
        with pytest.raises(CannotLook, match="no column is called 'y'"):
            wish()
