"""How well one feature, read in several ways, tells the label of its own table and of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.measures import single_feature
from audit.measures.auc import share_above
from audit.measures.single_feature import of_area, of_correlation
from audit.records.table import Column, ColumnType
from audit.records.target import Strength
from audit.tables.learned.encode import codes, family, numbers
from audit.tables.learned.target_label import Label, text

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

FOLDS = 5
_BINS = 64
_ROWS_A_BIN = 20
_LEVELS = 4_096


class Encoded(NamedTuple):
    """A feature as numbers in an order, and as numbers of its levels; NaN is missing, None is left out."""

    ordered: NDArray[np.float64] | None
    levels: NDArray[np.float64] | None = None


def encoded(column: Column, some: pl.Series, other: pl.Series | None) -> tuple[Encoded, Encoded | None]:
    """Both parts in the same terms: by size, or by the alphabet; and by level, but for fractions."""
    parts = [some] if other is None else [some, other]
    ordered: list[Any] = _alphabet(parts) if family(column) == "words" else [numbers(part) for part in parts]
    levels: list[Any] = [None] * len(parts)
    if column.type is not ColumnType.FLOAT:
        levels = codes([text(part) for part in parts], _LEVELS)
    found = [Encoded(*one) for one in zip(ordered, levels, strict=True)]
    return found[0], found[1] if other is not None else None


def _alphabet(parts: Sequence[pl.Series]) -> list[NDArray[np.float64]]:
    import numpy as np
    import polars as pl

    ranks = (
        pl.concat([part.cast(pl.String) for part in parts]).rank("dense").cast(pl.Float64).fill_null(np.nan).to_numpy()
    )
    return np.split(np.array(ranks), np.cumsum([len(part) for part in parts])[:-1])


def strengths(
    first: Encoded, second: Encoded | None, known: Label, current: Label | None
) -> tuple[Strength, Strength | None]:
    """The best of three ways to read the feature, in each table; choosing among three costs a factor of three in p."""
    here, there = [], []
    other = current if second is not None else None
    for place in range(2):
        one, two = first[place], second[place] if second is not None else None
        if one is None:
            continue
        taught, judged = _binned(one, two) if place == 0 else (_places(one), None if two is None else _places(two))
        here.append(_by_value(taught, known, None, None))
        if judged is not None and other is not None:
            there.append(_by_value(taught, known, judged, other))
    if first.ordered is not None and (known.names is None or known.classes == 2):  # noqa: PLR2004 - one direction
        said = _direct(first.ordered, known)
        here.append(_strength(abs(said), known))
        if second is not None and second.ordered is not None and other is not None:
            there.append(_strength(_direct(second.ordered, other) * (1 if said >= 0 else -1), other))
    best = max(here, key=lambda strength: strength.value)
    return Strength(value=best.value, auc=best.auc, variance=best.variance, p=min(best.p * 3, 1.0)), max(
        there, key=lambda strength: strength.value, default=None
    )


def _binned(
    one: NDArray[np.float64], two: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Bins between quantiles of the reference; missing is bin 0. Few values have a bin each."""
    import numpy as np

    present = one[~np.isnan(one)]
    values = np.unique(present)
    if len(values) > _BINS:
        bins = int(min(max(len(present) // _ROWS_A_BIN, 2), _BINS))
        values = np.unique(np.quantile(present, np.linspace(0, 1, bins + 1)[:-1], method="inverted_cdf"))
    edges = values[1:]

    def placed(some: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.where(np.isnan(some), 0, np.searchsorted(edges, some, "right") + 1).astype(np.int64)

    return placed(one), None if two is None else placed(two)


def _places(levels: NDArray[np.float64]) -> NDArray[np.int64]:
    import numpy as np

    return np.where(np.isnan(levels), 0, levels + 1).astype(np.int64)


def _by_value(
    taught: NDArray[np.int64], known: Label, judged: NDArray[np.int64] | None, other: Label | None
) -> Strength:
    """In the reference each fold is judged by the others; the current table by all of the reference."""
    import numpy as np

    size = int(max(taught.max(initial=0), judged.max(initial=0) if judged is not None else 0)) + 1
    if judged is not None and other is not None:
        teach = _counts(taught, np.zeros_like(taught), known, (1, size))
        rows = _counts(judged, np.zeros_like(judged), other, (1, size))
    else:
        rows = _counts(taught, np.arange(len(taught)) % FOLDS, known, (FOLDS, size))  # a sample is in no order
        teach = rows.sum(axis=0, keepdims=True) - rows
    return single_feature.numbers(teach, rows) if known.names is None else single_feature.classes(teach, rows)


def _counts(places: NDArray[np.int64], folds: NDArray[np.int64], known: Label, shape: tuple[int, int]) -> NDArray[Any]:
    """Rows by fold, value and class; or by fold and value their number, and the sums of ranks and of squares."""
    import numpy as np

    cells = folds * shape[1] + places
    if known.names is None:
        powers = [np.bincount(cells, known.values**power, shape[0] * shape[1]) for power in range(3)]
        return np.stack(powers, axis=1).reshape(*shape, 3)
    some = known.values >= 0
    flat = np.bincount(cells[some] * known.classes + known.values[some], minlength=shape[0] * shape[1] * known.classes)
    return flat.reshape(*shape, known.classes)


def _direct(values: NDArray[np.float64], known: Label) -> float:
    """The feature as the score itself, from -1 to 1: 2 AUC - 1, or the rank correlation; missing says nothing."""
    import numpy as np

    missing = np.isnan(values)
    score = np.where(missing, np.median(values[~missing]) if not missing.all() else 0.0, values)
    if known.names is None:
        return correlation(score, known.values)
    truth = known.values == 1
    return 2 * share_above(score, truth) - 1 if truth.any() and not truth.all() else 0.0


def _strength(said: float, known: Label) -> Strength:
    if known.names is None:
        return of_correlation(said, len(known.values))
    positives = int((known.values == 1).sum())
    return of_area((1 + said) / 2, positives, len(known.values) - positives)


def correlation(values: NDArray[np.float64], ranks: NDArray[np.float64]) -> float:
    """Spearman's, the label's ranks as they are."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    own = (np.cumsum(counts) - (counts - 1) / 2)[places]
    if len(counts) < 2 or ranks.std() == 0:  # noqa: PLR2004 - a constant
        return 0.0
    return float(np.corrcoef(own, ranks)[0, 1])
