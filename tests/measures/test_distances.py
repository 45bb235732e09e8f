"""Wasserstein and Jensen-Shannon against scipy's, the stability index against its formula."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from audit.measures import jensen_shannon, psi, wasserstein

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
counts = st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=30)


def two_sides(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    assume(a.sum() and b.sum())
    return a, b


@given(numbers, numbers)
def test_wasserstein_is_scipys(a, b):
    x, y = np.sort(a), np.sort(b)
    expected = stats.wasserstein_distance(a, b)
    assert wasserstein.distance(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert wasserstein.distance(x, y) == pytest.approx(wasserstein.distance(y, x), rel=1e-12)


def test_wasserstein_is_scipys_across_chunks_and_far_from_zero():
    rng = np.random.default_rng(5)
    x, y = np.sort(rng.normal(1e9, 1, 100_003)), np.sort(rng.normal(1e9, 1.1, 30_011))
    assert wasserstein.distance(x, y) == pytest.approx(stats.wasserstein_distance(x, y), rel=1e-9)


def test_wasserstein_of_integers_does_not_overflow():
    low, high = np.array([-(2**62)]), np.array([2**62])
    assert wasserstein.distance(low, high) == 2.0**63


@given(numbers, st.floats(-100, 100))
def test_wasserstein_is_the_shift(values, shift):
    x = np.sort(np.array(values))
    assert wasserstein.distance(x, x + shift) == pytest.approx(abs(shift), abs=1e-7)


@given(counts)
def test_jensen_shannon_is_scipys(pairs):
    a, b = two_sides(pairs)
    assert jensen_shannon.distance(a, b) == pytest.approx(jensenshannon(a, b, base=2), abs=1e-7)
    assert jensen_shannon.distance(a, b) ** 2 == pytest.approx(jensenshannon(a, b, base=2) ** 2, abs=1e-9)


def test_jensen_shannon_of_disjoint_sides_is_one():
    assert jensen_shannon.distance(np.array([3, 0]), np.array([0, 9])) == 1.0


@given(counts, st.sampled_from([1e-6, 1e-4, 1e-2]))
def test_psi_is_its_formula(pairs, smoothing):
    a, b = two_sides(pairs)
    p, q = ([x / side.sum() or smoothing for x in side] for side in (a, b))
    expected = sum((y - x) * np.log(y / x) for x, y in zip(p, q, strict=True))
    assert psi.psi(a, b, smoothing) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert psi.psi(a, b, smoothing) >= 0


def test_psi_with_missing_as_a_level():
    assert psi.psi(np.array([500, 500, 0]), np.array([25, 25, 950])) == pytest.approx(11.55, abs=0.005)
    assert psi.psi(np.array([500, 500]), np.array([25, 25])) == 0.0


def test_psi_of_a_hundredth_of_a_deviation():
    n = 1_000_000
    a = stats.norm.ppf((np.arange(n) + 0.5) / n)
    edges = psi.decile_edges(a)
    assert psi.psi(psi.counts(a, edges), psi.counts(a + 0.01, edges)) == pytest.approx(9.6e-5, abs=5e-7)


@given(numbers)
def test_deciles_hold_at_most_a_tenth_and_one_value(values):
    x = np.sort(np.array(values))
    edges = psi.decile_edges(x)
    held = psi.counts(x, edges)
    assert held.sum() == len(x)
    assert len(held) == len(edges) + 1
    for index, rows in enumerate(held[: len(edges)]):
        assert rows - (x == edges[index]).sum() <= len(x) / 10 + 1


def test_deciles_of_ten_values_are_the_first_nine():
    assert psi.decile_edges(np.arange(10)).tolist() == list(range(9))
    assert psi.decile_edges(np.zeros(50)).tolist() == [0.0]


def test_psi_is_expected_to_be_nine_times_the_noise():
    rng = np.random.default_rng(1)
    n, m = 4000, 1000
    found = []
    for _ in range(400):
        a, b = np.sort(rng.normal(size=n)), np.sort(rng.normal(size=m))
        edges = psi.decile_edges(a)
        found.append(psi.psi(psi.counts(a, edges), psi.counts(b, edges)))
    assert np.mean(found) == pytest.approx(psi.expected(n, m, 10), rel=0.1)
    assert psi.expected(n, m, 10) == 9 * (1 / 4000 + 1 / 1000)


@pytest.mark.parametrize("measure", [psi.psi, jensen_shannon.distance])
def test_asks_for_rows_on_both_sides(measure):
    with pytest.raises(ValueError, match="at least one row on each side"):
        measure(np.array([0, 0]), np.array([1, 2]))


def test_distances_of_nothing_are_refused():
    with pytest.raises(ValueError, match="at least one row on each side"):
        wasserstein.distance(np.array([]), np.array([1.0]))
    with pytest.raises(ValueError, match="at least one row"):
        psi.decile_edges(np.array([]))
