"""Whole groups change sides: the alarm rate holds where rows are not independent, and effects are still found."""

import math

import numpy as np
import pytest
from scipy import stats

from audit.measures import groups, ks

EDGES = np.concatenate([[-1e9], np.linspace(-3, 3, 49), [1e9]])


def persons(rng, means):
    """Rows of people who each have a mean of their own."""
    return [rng.normal(mean, 0.5, rng.integers(5, 100)) for mean in means]


def histograms(people):
    return np.array([np.histogram(rows, EDGES)[0] for rows in people])


def pair(rng, shift=0.0):
    """30 people against 20, 10 of whom are on both sides."""
    means = rng.normal(size=40)
    a, b = persons(rng, means[:30]), persons(rng, means[20:] + shift)
    shared = np.array([[20 + k, k] for k in range(10)])
    return a, b, shared


def naive(a, b):
    x, y = np.sort(np.concatenate(a)), np.sort(np.concatenate(b))
    return ks.p_value(ks.statistic(x, y), len(x), len(y))


@pytest.mark.parametrize("statistic", ["ks", "tv"])
def test_alarms_at_its_rate_where_rows_alone_alarm_nearly_always(statistic):
    rng = np.random.default_rng(7)
    alarms = naive_alarms = 0
    for k in range(250):
        a, b, shared = pair(rng)
        alarms += groups.p_value(histograms(a), histograms(b), shared, statistic, draws=200, seed=k) <= 0.05
        naive_alarms += naive(a, b) <= 0.05
    assert naive_alarms >= 200
    interval = stats.binomtest(alarms, 250).proportion_ci(0.99)
    assert interval.low <= 0.05 <= interval.high


def test_finds_people_who_changed():
    rng = np.random.default_rng(8)
    found = 0
    for k in range(20):
        a, b, shared = pair(rng, shift=1.5)
        found += groups.p_value(histograms(a), histograms(b), shared, "ks", draws=400, seed=k) <= 0.01
    assert found >= 19


def test_groups_of_one_row_are_the_test_of_rows():
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 5, 60), rng.integers(0, 5, 40) + (rng.uniform(size=40) < 0.15)
    one_hot = [np.eye(6, dtype=int)[side] for side in (a, b)]
    p = groups.p_value(*one_hot, np.empty((0, 2), dtype=int), "ks", draws=20_000, seed=0)
    d = ks.statistic(np.sort(a), np.sort(b))
    exact = stats.permutation_test(
        (a, b),
        lambda x, y: ks.statistic(np.sort(x), np.sort(y)),
        n_resamples=2000,
        alternative="greater",
        rng=np.random.default_rng(1),
    ).pvalue
    assert p == pytest.approx(exact, rel=0.8)
    assert p <= ks.p_value(d, 60, 40)


def test_few_groups_cannot_be_told_apart():
    a, b = np.array([[9, 0], [8, 0]]), np.array([[0, 9], [0, 8]])
    none = np.empty((0, 2), dtype=int)
    p = groups.p_value(a, b, none, "tv", draws=2000, seed=3)
    assert p == pytest.approx(2 / 6, rel=0.6)
    assert p >= 1 / groups.arrangements(2, 2, 0)


def test_one_shared_group_tells_nothing():
    shared = np.array([[0, 0]])
    assert groups.p_value(np.array([[9, 0]]), np.array([[0, 9]]), shared, "tv", draws=100, seed=0) == 1.0


def test_counts_the_ways_to_deal():
    assert groups.arrangements(2, 2, 0) == pytest.approx(6)
    assert groups.arrangements(3, 3, 3) == pytest.approx(8)
    assert groups.arrangements(4, 3, 1) == pytest.approx(2 * math.comb(5, 3))
    assert groups.arrangements(10**6, 10**6, 0) == math.inf


def test_a_deal_that_empties_a_side_is_extreme():
    a, b = np.array([[0, 0], [5, 0]]), np.array([[0, 0], [0, 5]])
    assert groups.p_value(a, b, np.empty((0, 2), dtype=int), "tv", draws=100, seed=0) == 1.0


def test_the_same_groups_and_seed_give_the_same_p():
    a, b, shared = pair(np.random.default_rng(2))
    ask = (histograms(a), histograms(b), shared, "ks")
    assert groups.p_value(*ask, draws=300, seed=5) == groups.p_value(*ask, draws=300, seed=5)


@pytest.mark.parametrize("statistic", ["ks", "tv"])
def test_effective_rows_are_all_where_rows_are_independent(statistic):
    rng = np.random.default_rng(4)
    alone = histograms([rng.normal(size=50) for _ in range(200)])
    assert groups.effective_rows(alone, statistic) == pytest.approx(10_000, rel=0.3)


def test_effective_rows_are_the_groups_where_their_rows_are_alike():
    rng = np.random.default_rng(4)
    alike = histograms([np.full(50, rng.normal()) for _ in range(200)])
    assert groups.effective_rows(alike, "ks") == pytest.approx(200, rel=0.1)
    assert groups.effective_rows(alike[:1], "ks") == 1.0


def test_asks_for_rows_on_both_sides():
    with pytest.raises(ValueError, match="at least one row on each side"):
        groups.p_value(np.array([[0]]), np.array([[1]]), np.empty((0, 2), dtype=int), "ks", draws=9, seed=0)
