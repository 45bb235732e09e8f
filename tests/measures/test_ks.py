"""The Kolmogorov-Smirnov statistic against scipy's, its p-values against all orders, its power against draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.measures import ks

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
tied = st.lists(st.integers(-4, 4), min_size=1, max_size=60)


def ascending(values):
    return np.sort(np.array(values))


@given(st.one_of(st.tuples(numbers, numbers), st.tuples(tied, tied)))
def test_is_scipys_statistic(sides):
    a, b = (ascending(one) for one in sides)
    assert ks.statistic(a, b) == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic, abs=1e-12)
    assert ks.statistic(a, b) == ks.statistic(b, a)


def test_is_scipys_statistic_across_chunks():
    rng = np.random.default_rng(0)
    a, b = ascending(rng.normal(size=90_001)), ascending(rng.normal(0.01, size=40_007))
    assert ks.statistic(a, b) == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic, abs=1e-12)
    rounded = np.round(a, 2), np.round(b, 2)
    expected = stats.ks_2samp(*rounded, method="asymp").statistic
    assert ks.statistic(*rounded) == pytest.approx(expected, abs=1e-12)


@given(numbers)
def test_is_zero_for_a_side_and_itself_repeated(values):
    assert ks.statistic(ascending(values), ascending(values * 3)) == 0.0


def test_takes_infinite_values_for_values():
    assert ks.statistic(np.array([-np.inf, 0.0, np.inf]), np.array([0.0, np.inf, np.inf])) == pytest.approx(1 / 3)


@given(tied, tied)
def test_counts_of_single_values_give_the_same_statistic(a, b):
    counts = [np.bincount(np.array(side) + 4, minlength=9) for side in (a, b)]
    assert ks.statistic_of_counts(*counts) == pytest.approx(ks.statistic(ascending(a), ascending(b)), abs=1e-12)


@given(numbers, numbers, st.integers(1, 9))
def test_coarse_bins_miss_no_more_than_their_largest_share(a, b, bins):
    edges = np.linspace(-1e6, 1e6, bins + 1)
    counts = [np.histogram(side, edges)[0] for side in (a, b)]
    exact, binned = ks.statistic(ascending(a), ascending(b)), ks.statistic_of_counts(*counts)
    widest = max(float((side / side.sum()).max()) for side in counts)
    assert exact - widest - 1e-12 <= binned <= exact + 1e-12


def exact_by_all_orders(steps, n, m):
    orders = list(itertools.combinations(range(n + m), n))
    return Fraction(sum(gap_of_order(order, n, m) >= steps for order in orders), len(orders))


def gap_of_order(order, n, m):
    gap = largest = 0
    for place in range(n + m):
        gap += m if place in order else -n
        largest = max(largest, abs(gap))
    return largest


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 4), (2, 4), (3, 3), (5, 3), (4, 6), (5, 5)])
def test_p_is_the_share_of_all_orders(n, m):
    for steps in range(1, n * m + 1):
        expected = exact_by_all_orders(steps, n, m)
        if steps % math.gcd(n, m) == 0:
            assert ks.p_value(steps / (n * m), n, m) == pytest.approx(float(expected), rel=1e-12)


@given(st.integers(1, 80), st.integers(1, 80), st.floats(0.01, 1))
def test_small_p_is_scipys_exact(n, m, share):
    steps = max(1, round(share * n * m / math.gcd(n, m)))
    d = steps * math.gcd(n, m) / (n * m)
    a, b = sample_of(d, n, m)
    found = stats.ks_2samp(a, b, method="exact")
    assume(found.pvalue > 1e-12)  # scipy loses digits in what is left of 1
    assert ks.p_value(ks.statistic(a, b), n, m) == pytest.approx(found.pvalue, rel=1e-9, abs=1e-13)


def sample_of(d, n, m):
    """Two sides whose largest gap is about `d`."""
    rng = np.random.default_rng(round(d * 1e6))
    return ascending(rng.uniform(size=n)), ascending(rng.uniform(d, 1 + d, size=m))


@pytest.mark.parametrize(("n", "m"), [(600, 400), (970, 30), (501, 499), (800, 200)])
def test_the_limit_errs_to_the_quiet_side(n, m):
    for z in (0.5, 1.0, 1.6, 2.0, 2.4):
        steps = round(z * math.sqrt((n + m) / n / m) * n * m / math.gcd(n, m))
        exact = ks._paths(steps * math.gcd(n, m), n, m)
        limit = ks.limit(steps * math.gcd(n, m) / (n * m), n, m)
        assert exact <= limit <= exact * (1.15 if min(n, m) >= 200 and z < 2 else 2.2)


@pytest.mark.parametrize("n", [900, 40_000, 100_000])
@pytest.mark.parametrize("z", [0.6, 1.2, 2.0])
def test_equal_sizes_agree_with_the_limit_as_they_grow(n, z):
    d = round(z * math.sqrt(2 / n) * n) / n
    assert ks.p_value(d, n, n) == pytest.approx(ks.limit(d, n, n), rel=0.01 + d * d)


def test_equal_sizes_are_exact_at_their_end():
    n, steps = 100_000, 900  # scipy counts the same paths with whole numbers
    whole = 2 * sum((-1) ** (k - 1) * Fraction(math.comb(600, 300 - k * 45), math.comb(600, 300)) for k in range(1, 7))
    assert ks.p_value(45 / 300, 300, 300) == pytest.approx(float(whole), rel=1e-12)
    assert ks.p_value(steps / n, n, n) == pytest.approx(ks.limit(steps / n, n, n), rel=1e-3)


def test_ties_make_the_test_quieter():
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(500):
        a, b = (np.sort(rng.poisson(1.0, 150)) for _ in range(2))
        alarms += ks.p_value(ks.statistic(a, b), 150, 150) <= 0.05
    assert alarms <= 25


def test_knows_the_cases_of_the_field():
    n = 1_000_000
    a = stats.norm.ppf((np.arange(n) + 0.5) / n)
    d = ks.statistic(a, a + 0.01)
    assert d == pytest.approx(0.00399, abs=1e-8)
    assert ks.p_value(d, n, n) == pytest.approx(2.4e-7, rel=0.02)
    assert ks.p_value(1.0, 1, 1) == 1.0
    assert ks.statistic(np.array([1, 2]), np.array([3, 4, 5, 6])) == 1.0
    assert ks.p_value(1.0, 2, 4) == pytest.approx(0.1333, abs=5e-5)


def test_eight_rows_against_iris():
    from sklearn.datasets import load_iris

    widths = np.sort(load_iris().data[:, 3])
    d = ks.statistic(widths, np.array([1.4] * 4 + [1.6] * 4))
    assert (d, ks.p_value(d, 150, 8)) == (pytest.approx(0.52), pytest.approx(0.0200, abs=5e-5))
    assert ks.detectable(150, 8, 0.01) > 0.1


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(0, 1))
def test_any_size_gives_a_probability(n, m, d):
    assert 0.0 <= ks.limit(d, n, m) <= 1.0
    assert 0.0 < ks.detectable(n, m, 1e-6) <= 1.0


def shifted(rng, m, effect):
    """A normal sample whose largest gap to the standard normal is `effect`, as uniform values."""
    return stats.norm.cdf(rng.normal(2 * stats.norm.ppf((1 + effect) / 2), size=m))


def sharply_moved(rng, m, effect):
    """A uniform sample of which a share of `effect` moved from just below one half to just above."""
    values = rng.uniform(size=m)
    moved = (values > 0.5 - effect) & (values < 0.5)
    values[moved] += effect
    return values


@pytest.mark.parametrize(("n", "m"), [(300, 300), (2000, 500), (10_000, 10_000)])
@pytest.mark.parametrize("alpha", [0.01, 1e-4])
@pytest.mark.parametrize(("sample", "most"), [(shifted, 1.0), (sharply_moved, 0.88)])
def test_finds_the_detectable_effect_in_80_percent(n, m, alpha, sample, most):
    rng = np.random.default_rng(n)
    effect = ks.detectable(n, m, alpha)
    found = 0
    for _ in range(300):
        a, b = np.sort(rng.uniform(size=n)), np.sort(sample(rng, m, effect))
        found += ks.p_value(ks.statistic(a, b), n, m) <= alpha
    assert 0.72 <= found / 300 <= most


def test_asks_for_rows_on_both_sides():
    empty, some = np.array([]), np.array([1.0])
    for ask in (
        lambda: ks.statistic(empty, some),
        lambda: ks.statistic_of_counts(np.array([0, 0]), np.array([1, 0])),
        lambda: ks.p_value(0.5, 0, 3),
        lambda: ks.detectable(3, 0, 0.01),
    ):
        with pytest.raises(ValueError, match="at least one row on each side"):
            ask()
