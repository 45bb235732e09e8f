"""What one feature tells, against counting by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from audit.measures.single_feature import (
    classes,
    copied_by_chance,
    gap,
    numbers,
    of_area,
    of_correlation,
    ordered_by_chance,
)


@pytest.mark.parametrize("counts", [[1, 1], [1, 2], [3, 3], [1, 1, 1], [2, 2, 2], [1, 2, 3]])
def test_the_probability_of_a_copy_is_that_of_all_orders_of_the_labels(counts):
    labels = [place for place, count in enumerate(counts) for _ in range(count)]
    feature = labels
    orders = list(permutations(labels))
    hits = sum(len(set(zip(order, feature, strict=True))) == len(counts) for order in orders)
    assert hits / len(orders) <= copied_by_chance(counts) * (1 + 1e-9)
    if len(set(counts)) == 1:
        assert hits / len(orders) == pytest.approx(copied_by_chance(counts))


@pytest.mark.parametrize("counts", [[1, 1], [1, 2], [3, 3], [1, 1, 1], [2, 2, 2], [1, 2, 3]])
def test_the_probability_of_an_exact_order(counts):
    labels = [place for place, count in enumerate(counts) for _ in range(count)]
    orders = list(permutations(labels))
    hits = sum(list(order) in (labels, labels[::-1]) for order in orders)
    assert hits / len(orders) <= ordered_by_chance(counts) * (1 + 1e-9)


def test_two_classes_judged_by_shares_of_other_rows():
    draw = np.random.default_rng(1)
    taught, judged = draw.integers(1, 30, (1, 6, 2)), draw.integers(1, 30, (1, 6, 2))
    overall = taught[0].sum(axis=0) / taught.sum()
    scores = (taught[0, :, 1] + 2 * overall[1]) / (taught[0].sum(axis=1) + 2)
    truth = np.repeat(np.tile([0, 1], 6), judged[0].ravel())
    rows = np.repeat(np.repeat(scores, 2), judged[0].ravel())
    assert classes(taught, judged).auc == pytest.approx(roc_auc_score(truth, rows))


def test_numbers_judged_by_means_of_other_rows():
    draw = np.random.default_rng(2)
    value, label = draw.integers(0, 4, 300), draw.random(300)
    label = label + value
    sums = np.stack([np.bincount(value, label**power, 4) for power in range(3)], axis=1)[None]
    means = (sums[0, :, 1] + 2 * label.mean()) / (sums[0, :, 0] + 2)
    assert numbers(sums, sums).value == pytest.approx(np.corrcoef(means[value], label)[0, 1] ** 2)


def test_a_strength_that_is_lost_is_no_chance_and_one_that_is_kept_may_be():
    assert gap(of_area(0.95, 300, 300), of_area(0.6, 100, 100)) < 1e-6
    assert gap(of_area(0.95, 300, 300), of_area(0.94, 100, 100)) > 0.1
    assert gap(of_correlation(0.9, 300), of_correlation(0.2, 100)) < 1e-6
    assert gap(of_correlation(0.9, 300), of_correlation(0.89, 100)) > 0.1


def test_few_rows_prove_nothing():
    assert of_area(1.0, 2, 2).p > 0.2
    assert of_correlation(1.0, 4).p > 0.05
    assert of_area(1.0, 0, 5).value == 0.0
