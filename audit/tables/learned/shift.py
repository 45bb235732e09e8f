"""A classifier two-sample test: whether the rows of two tables can be told apart.

D. Lopez-Paz, M. Oquab 2017, "Revisiting classifier two-sample tests", ICLR,
https://arxiv.org/abs/1610.06545, with the area under the ROC curve in place of the
accuracy, so that unequal sizes matter nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from audit.measures.auc import Z_80, area, chance, null_variance, quantile
from audit.records.shift import Gave, Shift
from audit.tables.learned.features import Features, Wanted, features, sides
from audit.tables.sample import shuffled
from audit.tables.table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDS = 5
FEWEST = 30
"""Rows, and groups, that each side must have."""

_FEWEST_GROUPS = 20
_SHOWN = 10
_EXPLAINED = 2_000
_PREDICTIONS = 400
_SEED = 7

_TWICE = 2.0
"""Folds learn from each other's rows: a pair of rows that are alike counts in both directions.

For a classifier that sums symmetric likenesses of rows, the variance of the mean over folds is
twice that of folds which know nothing of each other; trees were measured at 1.6 to 2.0 times.
"""


class Options(NamedTuple):
    """What the rule says: its rate of false alarms, the AUC from which to explain, and with what (`shap`)."""

    false_alarms: float = 0.01
    tolerance: float = 0.55
    shap: bool = False


class _Fold(NamedTuple):
    """A classifier and the rows that it has not seen."""

    model: Any
    held: NDArray[np.int64]


def shift(tables: tuple[Table, Table], wanted: Wanted, options: Options) -> Shift:
    """Train on four fifths of both tables, tell the last fifth apart, five times over."""
    found = features(tables, wanted)
    answer = _sizes(found)
    if not found.columns or min(answer.sampled) < FEWEST or min(answer.groups or (FEWEST,)) < _FEWEST_GROUPS:
        return answer
    folds = list(_folds(found))
    if not folds:
        return answer
    answer = _tested(answer, found, folds, options)
    if answer.auc is None or answer.auc <= options.tolerance:
        return answer
    gave = _by_shap(found, folds) if options.shap else _by_permutation(found, folds)
    ranked = sorted(gave, key=lambda one: (-one.importance, found.columns.index(one.column)))
    return replace(answer, gave=tuple(ranked[:_SHOWN]))


def _sizes(found: Features) -> Shift:
    import numpy as np

    reference, current = sides(found)
    groups = found.groups
    counted = (len(np.unique(groups[reference])), len(np.unique(groups[current]))) if groups is not None else None
    sampled = (len(reference), len(current))
    return Shift(rows=found.rows, sampled=sampled, columns=found.columns, left=found.left, groups=counted)


def _folds(found: Features) -> Iterator[_Fold]:
    """Models trained without one fold each. One thread: sums of many have no order (scikit-learn's OpenMP)."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    places = _places(found)
    for fold in range(FOLDS):
        held = places == fold
        if min(len(np.unique(found.current[held])), len(np.unique(found.current[~held]))) < 2:  # noqa: PLR2004 - sides
            continue  # few groups, and all of one side
        model = HistGradientBoostingClassifier(
            max_iter=100, max_leaf_nodes=15, learning_rate=0.1, early_stopping=False, random_state=_SEED
        )
        yield _Fold(model.fit(_seen(found.matrix[~held]), found.current[~held]), held.nonzero()[0])


def _seen(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """With 0 throughout in columns without any value: scikit-learn finds no bins for those, and nothing to split."""
    import numpy as np

    matrix[:, np.isnan(matrix).all(axis=0)] = 0.0
    return matrix


def _places(found: Features) -> NDArray[np.int64]:
    """The fold of each row: both sides spread evenly, groups whole."""
    import numpy as np

    places = np.empty(len(found.current), np.int64)
    if found.groups is None:
        for side in sides(found):
            places[side] = np.arange(len(side)) % FOLDS  # the sample is in no order already
        return places
    order = shuffled(int(found.groups.max()) + 1, _SEED)
    shares = np.zeros_like(order, dtype=np.float64)
    np.add.at(shares, found.groups, found.current)
    current = shares > np.bincount(found.groups) / 2
    dealt = np.empty_like(order)
    for some in (order[~current[order]], order[current[order]]):
        dealt[some] = np.arange(len(some)) % FOLDS
    return dealt[found.groups]


def _tested(answer: Shift, found: Features, folds: list[_Fold], options: Options) -> Shift:
    """The mean area over the folds, against what chance gives."""
    areas, variances, floors = [], [], []
    for fold in folds:
        truth = found.current[fold.held]
        scores = fold.model.decision_function(found.matrix[fold.held])
        one = area(scores, truth, None if found.groups is None else found.groups[fold.held])
        areas.append(one.auc)
        variances.append(one.variance)
        floors.append(max(one.variance, null_variance(int(truth.sum()), int((~truth).sum()))))
    auc = sum(areas) / len(areas)
    spread, floor = (math.sqrt(_TWICE * sum(some)) / len(areas) for some in (variances, floors))
    reach = quantile(options.false_alarms) + Z_80
    return replace(
        answer,
        auc=auc,
        low=max(auc - quantile(0.025) * spread, 0.0),
        high=min(auc + quantile(0.025) * spread, 1.0),
        p=chance((auc - 0.5) / floor),
        detectable=min(0.5 + reach * floor, 1.0),
    )


def _by_permutation(found: Features, folds: list[_Fold]) -> Iterator[Gave]:
    """How much of the area is lost when a column of held rows is permuted (L. Breiman 2001, "Random forests").

    The more columns, the fewer folds: the number of predictions is bounded.
    """
    used = folds[: max(1, min(len(folds), _PREDICTIONS // len(found.columns)))]
    lost = [0.0] * len(found.columns)
    for number, fold in enumerate(used):
        rows = fold.held[shuffled(len(fold.held), _SEED)[:_EXPLAINED]]
        matrix, truth = found.matrix[rows], found.current[rows]
        whole = area(fold.model.decision_function(matrix), truth).auc
        order = shuffled(len(rows), _SEED + 1 + number)
        for place in range(len(lost)):
            changed = matrix.copy()
            changed[:, place] = matrix[order, place]
            lost[place] += (whole - area(fold.model.decision_function(changed), truth).auc) / len(used)
    return (Gave(column=name, importance=max(loss, 0.0)) for name, loss in zip(found.columns, lost, strict=True))


def _by_shap(found: Features, folds: list[_Fold]) -> Iterator[Gave]:
    """Mean |SHAP value| over held rows of the first fold (S. Lundberg, S.-I. Lee 2017, NeurIPS)."""
    import numpy as np
    import shap

    rows = folds[0].held[shuffled(len(folds[0].held), _SEED)[:_EXPLAINED]]
    values = np.asarray(shap.TreeExplainer(folds[0].model).shap_values(found.matrix[rows]))
    for name, size in zip(found.columns, np.abs(values).mean(axis=0), strict=True):
        yield Gave(column=name, importance=float(size))
