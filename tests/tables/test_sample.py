"""Which rows are looked at: always the same, all different, in no pattern."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.tables import sample
from audit.tables.sample import positions, scrambled


@given(st.integers(0, 5_000), st.integers(1, 5_000), st.integers(0, 9))
def test_as_many_different_rows_as_wanted(rows, wanted, seed):
    found = positions(rows, wanted, seed)
    assert len(set(found.tolist())) == len(found) == min(rows, wanted)
    assert all(0 <= one < rows for one in found.tolist())


def test_the_rows_are_known():
    assert positions(1_000_000, 5, 0).tolist() == [573548, 70273, 390831, 164256, 185931]
    assert positions(10, 10, 1).tolist() == [1, 3, 5, 7, 4, 9, 0, 6, 8, 2]


def test_blocks_change_nothing(monkeypatch):
    whole = positions(10_000, 500, 3)
    monkeypatch.setattr(sample, "_BLOCK", 777)
    assert positions(10_000, 500, 3).tolist() == whole.tolist()


@pytest.mark.parametrize("period", [2, 7, 64, 1024])
def test_no_period_of_the_table_shows(period):
    found = np.bincount(positions(1 << 20, 20_000, 5) % period, minlength=period)
    expected = 20_000 / period
    assert ((found - expected) ** 2 / expected).sum() < period + 5 * (2 * period) ** 0.5


def test_the_digest_is_splitmix64():
    """The first values of the reference implementation from the seed 0 (https://prng.di.unimi.it/splitmix64.c)."""
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert scrambled(np.arange(3, dtype=np.uint64), 0).tolist() == known
