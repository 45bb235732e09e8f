"""The largest gap of two distribution functions, against the one looked for at every value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.measures import largest_gap as module
from audit.measures.largest_gap import largest_gap

SIDE = st.lists(st.integers(-8, 8) | st.floats(-2, 2), min_size=1, max_size=300)


def everywhere(a, b):
    points = np.concatenate([a, b])
    gaps = np.searchsorted(a, points, "right") * len(b) - np.searchsorted(b, points, "right") * len(a)
    return int(np.abs(gaps).max())


@given(SIDE, SIDE)
def test_it_is_the_gap_looked_for_at_every_value(a, b):
    a, b = np.sort(np.array(a, float)), np.sort(np.array(b, float))
    large, small = (a, b) if len(a) >= len(b) else (b, a)
    assert largest_gap(large, small) == everywhere(a, b)


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 50, 10**6]))
def test_it_is_that_of_many_rows_with_and_without_ties(seed, values):
    draw = np.random.default_rng(seed)
    a, b = np.sort(draw.integers(0, values, 9000)), np.sort(draw.integers(0, values, draw.integers(1, 9000)))
    assert largest_gap(a, b) == everywhere(a, b)


def test_most_values_are_never_looked_at(monkeypatch):
    draw = np.random.default_rng(3)
    a, b = np.sort(draw.normal(size=200_000)), np.sort(draw.normal(0.1, 1, size=100_000))
    looked = []
    places = module._places
    monkeypatch.setattr(module, "_places", lambda large, some: looked.append(len(some)) or places(large, some))
    assert largest_gap(a, b) == everywhere(a, b)
    assert sum(looked) < 20_000
