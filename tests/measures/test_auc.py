"""The area under the ROC curve and its variance, against other ways to compute them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from audit.measures.auc import area, area_variance, chance, null_variance, quantile, share_above

SCORES = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=4, max_size=60)


def split(rows):
    scores = np.array([score for score, _ in rows], float)
    positive = np.array([side for _, side in rows])
    assume(1 < positive.sum() < len(rows) - 1)
    return scores, positive


@given(SCORES)
def test_the_area_is_that_of_scikit_learn(rows):
    scores, positive = split(rows)
    expected = roc_auc_score(positive, scores)
    assert area(scores, positive).auc == pytest.approx(expected, abs=1e-12)
    assert share_above(scores, positive) == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_the_variance_is_that_of_placements_pair_by_pair(rows):
    scores, positive = split(rows)
    wins = np.sign(scores[positive][:, None] - scores[~positive][None, :]) / 2 + 0.5
    expected = wins.mean(axis=1).var(ddof=1) / len(wins) + wins.mean(axis=0).var(ddof=1) / wins.shape[1]
    assert area(scores, positive).variance == pytest.approx(expected, abs=1e-12)


def test_clusters_of_one_row_change_next_to_nothing():
    draw = np.random.default_rng(1)
    scores, positive = draw.normal(size=500), draw.random(500) < 0.4
    plain, clustered = area(scores, positive), area(scores, positive, np.arange(500))
    assert clustered.variance == pytest.approx(plain.variance, rel=0.01)


def test_rows_that_are_repeated_tell_nothing_more():
    draw = np.random.default_rng(2)
    scores, positive, names = draw.normal(size=200), draw.random(200) < 0.5, np.arange(200)
    once = area(scores, positive, names)
    often = area(np.repeat(scores, 9), np.repeat(positive, 9), np.repeat(names, 9))
    assert often.auc == pytest.approx(once.auc)
    assert often.variance == pytest.approx(once.variance)
    assert area(np.repeat(scores, 9), np.repeat(positive, 9)).variance < once.variance / 8


def test_the_variances_of_sizes_alone_agree_with_draws():
    draw = np.random.default_rng(3)
    found = [area(draw.normal(size=60), np.arange(60) < 20).auc for _ in range(2_000)]
    assert np.var(found) == pytest.approx(null_variance(20, 40), rel=0.1)
    assert area_variance(0.5, 20, 40) == pytest.approx(null_variance(20, 40), rel=0.05)


def test_the_normal_distribution():
    assert chance(quantile(0.01)) == pytest.approx(0.01)
    assert chance(0.0) == 0.5
    assert math.isclose(quantile(0.2), 0.8416212335729143)
