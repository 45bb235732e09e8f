"""Total variation, its permutation test and bound against all deals; Fisher's test against scipy's."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from audit.measures import shares

counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4)


def two_sides(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    assume(a.sum() and b.sum())
    return a, b


def all_deals(totals, n):
    """Every way to deal rows of those levels, with its probability."""
    whole = math.comb(int(totals.sum()), n)
    for deal in itertools.product(*(range(int(t) + 1) for t in totals)):
        if sum(deal) == n:
            yield np.array(deal), math.prod(math.comb(int(t), k) for t, k in zip(totals, deal, strict=True)) / whole


def exact_p(a, b):
    totals, observed = a + b, shares.total_variation(a, b)
    deals = all_deals(totals, int(a.sum()))
    return sum(chance for deal, chance in deals if shares.total_variation(deal, totals - deal) >= observed - 1e-12)


def test_total_variation_is_the_share_that_moved():
    assert shares.total_variation(np.array([50, 50]), np.array([55, 45])) == pytest.approx(0.05)
    assert shares.total_variation(np.array([1, 0]), np.array([0, 7])) == 1.0
    assert shares.total_variation(np.array([5 * 10**8, 5 * 10**8]), np.array([3, 3])) == 0.0


@given(counts)
def test_expectation_and_bound_hold_over_all_deals(pairs):
    a, b = two_sides(pairs)
    totals, n = a + b, int(a.sum())
    mean = sum(chance * shares.total_variation(deal, totals - deal) for deal, chance in all_deals(totals, n))
    assert shares.expected(a, b) == pytest.approx(mean, abs=1e-12)
    assert shares.bound(a, b) >= exact_p(a, b) - 1e-12


@settings(max_examples=25)
@given(counts, st.integers(0, 9))
def test_permutations_come_near_the_share_of_all_deals(pairs, seed):
    a, b = two_sides(pairs)
    p, how = shares.p_value(a, b, below=1e-3, seed=seed)
    expected = exact_p(a, b)
    # 20 exceedances leave p uncertain by 22 %: five times that
    assert p == pytest.approx(min(1.0, expected), rel=1.1, abs=0.003)
    assert how == ("bound" if shares.bound(a, b) < 1e-3 else "permutation")


def test_two_levels_agree_with_fishers_test():
    a, b = np.array([60, 140]), np.array([90, 110])
    p, how = shares.p_value(a, b, below=1e-4, seed=1)
    assert how == "permutation"
    assert p == pytest.approx(shares.difference_p(60, 200, 90, 200), rel=0.3)


def test_the_same_counts_and_seed_give_the_same_p():
    a, b = np.array([50, 30, 20]), np.array([35, 35, 30])
    assert shares.p_value(a, b, below=1e-3, seed=4) == shares.p_value(a, b, below=1e-3, seed=4)


def test_no_difference_is_certain():
    assert shares.p_value(np.array([2, 2]), np.array([4, 4]), below=1e-3, seed=0) == (1.0, "permutation")
    assert shares.p_value(np.array([9]), np.array([4]), below=1e-3, seed=0)[0] == 1.0


def test_levels_without_rows_change_nothing():
    a, b = np.array([50, 30, 20]), np.array([35, 35, 30])
    wide = np.array([0, 50, 0, 30, 20]), np.array([0, 35, 0, 35, 30])
    assert shares.p_value(a, b, below=1e-3, seed=4) == shares.p_value(*wide, below=1e-3, seed=4)


def test_a_difference_that_is_plain_needs_no_draws():
    p, how = shares.p_value(np.array([600_000, 400_000]), np.array([150_000, 100_500]), below=1e-4, seed=0)
    assert how == "permutation"
    assert p > 1e-4
    p, how = shares.p_value(np.array([600_000, 400_000]), np.array([145_000, 105_000]), below=1e-4, seed=0)
    assert (how, p < 1e-20) == ("bound", True)


def test_more_rows_than_can_be_drawn_have_a_bound():
    a, b = np.array([10**9, 10**9]), np.array([10**9 + 20_000, 10**9])
    p, how = shares.p_value(a, b, below=1e-4, seed=0)
    assert (how, 0 < p <= 1) == ("bound", True)
    far = shares.p_value(a, np.array([10**9 + 10**6, 10**9]), below=1e-4, seed=0)
    assert (far[0] < 1e-4, far[1]) == (True, "bound")


def test_very_many_levels_are_dealt_as_often_as_time_allows():
    rng = np.random.default_rng(0)
    a, b = rng.poisson(3, 100_000), rng.poisson(1, 100_000)
    p, how = shares.p_value(a, b, below=1e-4, seed=0)
    assert (how, p > 0.01) == ("permutation", True)
    b[:20_000] += 2
    assert shares.p_value(a, b, below=1e-4, seed=0) == (shares.bound(a, b), "bound")


@pytest.mark.parametrize("levels", [2, 20, 200])
def test_alarms_at_its_rate(levels):
    rng = np.random.default_rng(levels)
    weights = rng.dirichlet(np.full(levels, 0.3))
    ps = [
        shares.p_value(rng.multinomial(400, weights), rng.multinomial(150, weights), below=0.05, seed=k)[0]
        for k in range(400)
    ]
    assert stats.binomtest(sum(p <= 0.05 for p in ps), 400).proportion_ci(0.999).low <= 0.05


@pytest.mark.parametrize("levels", [2, 3, 20, 300])
@pytest.mark.parametrize(("n", "m"), [(3000, 3000), (8000, 2000)])
def test_finds_the_detectable_effect_in_80_percent(levels, n, m):
    """Both where the effect shows least, spread over all levels, and where two of them change places."""
    rng = np.random.default_rng(levels)
    weights = 1 / np.arange(1, levels + 1) / sum(1 / k for k in range(1, levels + 1))
    alpha = 2e-3
    effect = shares.detectable(weights, n, m, alpha)

    def found(moved):
        draws = [(rng.multinomial(n, weights), rng.multinomial(m, moved)) for _ in range(60)]
        return np.mean([shares.p_value(*sides, below=alpha, seed=k)[0] <= alpha for k, sides in enumerate(draws)])

    assert 0.65 <= found(spread(weights, effect)) <= 0.93
    assert found(weights + effect * np.eye(1, levels, 1)[0] - effect * np.eye(1, levels, 0)[0]) >= 0.65


def spread(weights, effect):
    """Shares at that total variation, each of which moved in proportion to its deviation."""
    way = np.sqrt(weights * (1 - weights))
    signs = np.where(np.arange(len(way)) % 2, -1.0, 1.0)
    up, down = way[signs > 0].sum(), way[signs < 0].sum()
    return weights + effect * signs * way / np.where(signs > 0, up, down)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_fisher_is_scipys(n1, n2, data):
    k1, k2 = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n2))
    expected = stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue
    assert shares.difference_p(k1, n1, k2, n2) == pytest.approx(expected, rel=1e-9)


def test_fisher_at_any_size():
    assert shares.difference_p(0, 10**9, 0, 10**9) == 1.0
    n = 10**9
    z = 30_000 / math.sqrt(n / 2)
    found = shares.difference_p(n // 2, n, n // 2 + 30_000, n)
    assert found == pytest.approx(2 * stats.norm.sf(z), rel=1e-3)
    assert shares.difference_p(0, 500, 475, 500) < 1e-100
    assert shares.difference_p(0, 10**6, 10**6, 10**6) == 0.0


@pytest.mark.parametrize(("n1", "n2"), [(1000, 1000), (10_000, 2500), (100, 1000)])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.9])
@pytest.mark.parametrize("alpha", [0.01, 2e-4])
def test_finds_the_detectable_difference_in_80_percent(n1, n2, share, alpha):
    rng = np.random.default_rng(n1)
    moved = shares.difference_detectable(n1, n2, alpha, 0.8, share)
    other = share + moved if share <= 0.5 else share - moved
    found = sum(
        shares.difference_p(int(rng.binomial(n1, share)), n1, int(rng.binomial(n2, other)), n2) <= alpha
        for _ in range(300)
    )
    assert 0.7 <= found / 300 <= 0.97


def test_asks_for_rows_on_both_sides():
    with pytest.raises(ValueError, match="at least one row on each side"):
        shares.total_variation(np.array([0, 0]), np.array([1, 2]))
    with pytest.raises(ValueError, match="rows on each side"):
        shares.difference_p(0, 0, 1, 2)
    with pytest.raises(ValueError, match="no more of them"):
        shares.difference_p(3, 2, 1, 2)
