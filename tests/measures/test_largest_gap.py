"""The largest gap of two distribution functions, against the one looked for at every value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.measures import largest_gap as module
from audit.measures.largest_gap import largest_gap

SIDE = st.lists(st.integers(-8, 8) | st.floats(-2, 2), min_size=1, max_size=80)


def everywhere(a, b):
    points = np.concatenate([a, b])
    return max(abs(int(np.sum(a <= x)) * len(b) - int(np.sum(b <= x)) * len(a)) for x in points)


@given(SIDE, SIDE, st.integers(1, 9))
def test_it_is_the_gap_looked_for_at_every_value(a, b, cell):
    a, b = np.sort(np.array(a, float)), np.sort(np.array(b, float))
    large, small = (a, b) if len(a) >= len(b) else (b, a)
    was, module._CELL = module._CELL, cell
    try:
        assert largest_gap(large, small) == everywhere(a, b)
    finally:
        module._CELL = was


def test_most_values_are_never_looked_at(monkeypatch):
    draw = np.random.default_rng(3)
    a, b = np.sort(draw.normal(size=200_000)), np.sort(draw.normal(0.1, 1, size=100_000))
    looked = []
    inside = module._inside
    monkeypatch.setattr(module, "_inside", lambda *args: looked.append(args) or inside(*args))
    largest_gap(a, b)
    assert len(looked) < 130  # of 391
