"""Probabilities against exact fractions and scipy's."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.measures.binomial import log_binomial, log_hypergeometric, mean_deviation

small = st.integers(0, 60)


def exactly(k, marked, others, drawn):
    if not max(0, drawn - others) <= k <= min(marked, drawn):
        return Fraction(0)
    return Fraction(math.comb(marked, k) * math.comb(others, drawn - k), math.comb(marked + others, drawn))


@given(small, small, st.data())
def test_hypergeometric_is_exact(marked, others, data):
    drawn = data.draw(st.integers(0, marked + others))
    k = data.draw(st.integers(0, drawn))
    expected = float(exactly(k, marked, others, drawn))
    assert math.exp(log_hypergeometric(k, marked, others, drawn)) == pytest.approx(expected, rel=1e-12)


@given(small, small, st.data())
def test_mean_deviation_is_the_sum_over_all_counts(marked, others, data):
    drawn = data.draw(st.integers(0, marked + others))
    total = max(1, marked + others)
    mean = Fraction(marked * drawn, total)
    expected = sum(abs(k - mean) * exactly(k, marked, others, drawn) for k in range(drawn + 1))
    assert mean_deviation(marked, others, drawn) == pytest.approx(float(expected), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [10**6, 2 * 10**9])
def test_keeps_its_digits_as_counts_grow(n):
    """The sum of the middle of the distribution is one, to twelve digits; by log-gamma it would be to six."""
    reach = int(4 * math.sqrt(n))
    step = max(1, reach // 2000)
    total = sum(math.exp(log_binomial(n // 2 + k, n, 0.5)) for k in range(-reach, reach + 1, step)) * step
    assert total == pytest.approx(1.0, rel=1e-12)


def test_binomial_is_scipys():
    for k, n, p in [(0, 5, 0.1), (5, 5, 0.1), (3, 9, 0.4), (700, 1000, 0.6), (0, 0, 0.5)]:
        assert log_binomial(k, n, p) == pytest.approx(stats.binom.logpmf(k, n, p), abs=1e-10)
    assert log_binomial(6, 5, 0.1) == log_binomial(1, 5, 0.0) == -math.inf
