"""Two columns of numbers or times, measured against each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from audit.measures import jensen_shannon, ks, psi, wasserstein
from audit.records.drift import Pair, PairKind, Side, Test, TestName
from audit.tables.pair import sketch
from audit.tables.pair.gaps import gaps, with_gaps
from audit.tables.pair.values import Numbers, finite, moments

if TYPE_CHECKING:
    import numpy as np

FEWEST_IDENTIFIERS = 30
"""So many integers must all differ before they are taken for identifiers."""

MEETINGS = 20
"""Expected pairs of equal values from which on it is no chance that there are none: e^-20."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GLANCE = 1000


def measured(column: str, kind: PairKind, a: Numbers, b: Numbers, name: TestName = "ks") -> Pair:
    """All that is known of the pair; both sides hold values of one type."""
    x, y = a.finite, b.finite
    drawing, low, high = sketch.of_numbers(x, y)
    index, index_with_gaps, distance = _over_deciles(a, b)
    reference = _side(a, x, kind, low)
    return Pair(
        column=column,
        kind=kind,
        reference=reference,
        current=_side(b, y, kind, high),
        tests=(*_distribution(a, b, name), *gaps(a, b)),
        psi=index,
        psi_missing=index_with_gaps,
        jensen_shannon=distance,
        wasserstein=_way(x, y, reference.sd),
        drawing=drawing,
        disjoint=_disjoint(a.values, b.values) if kind == "time" else _apart(a.values, b.values),
    )


def identifiers(a: Numbers, b: Numbers) -> str:
    """Why integers name rows rather than measure something; empty if they do not.

    All differ on each side, though so many values drawn from their range would have met; and no value is on both
    sides, or a side counts on without a gap.
    """
    x, y = a.values, b.values
    if x.dtype.kind not in "iu" or min(len(x), len(y)) < FEWEST_IDENTIFIERS or not (_all_differ(x) and _all_differ(y)):
        return ""
    if _counts_on(x) or _counts_on(y):
        return "it numbers the rows: whole numbers without a gap, no two the same"
    width = max(int(x[-1]), int(y[-1])) - min(int(x[0]), int(y[0])) + 1
    if not are_crowded(len(x) + len(y), width) or _shared(x, y):
        return ""
    return "it looks like an identifier: whole numbers, no two the same on either side or both"


def are_crowded(values: int, width: int) -> bool:
    """Whether so many whole numbers that all differ cannot have been drawn by chance from a range so wide.

    That none meet has a probability of exp(-values² / (2 width)) at most (the birthday problem); amounts and
    durations of few rows are often all different, and are no identifiers.
    """
    return values * values > 2 * MEETINGS * width


def _distribution(a: Numbers, b: Numbers, name: TestName) -> list[Test]:
    n, m = len(a.values), len(b.values)
    if not n or not m:
        return []
    d = ks.statistic(a.values, b.values)
    return [Test(name=name, effect=d, p=ks.p_value(d, n, m), how="kolmogorov-smirnov", sizes=(n, m))]


def _over_deciles(a: Numbers, b: Numbers) -> tuple[float | None, float | None, float | None]:
    """Stability index without and with what is missing, and Jensen-Shannon distance, over the reference's deciles."""
    if not len(a.values) or not len(b.values):
        return None, with_gaps(a, b, len(a.values), len(b.values)), None
    edges = psi.decile_edges(a.values)
    p, q = psi.counts(a.values, edges), psi.counts(b.values, edges)
    return psi.psi(p, q), with_gaps(a, b, p, q), jensen_shannon.distance(p, q)


def _way(x: np.ndarray, y: np.ndarray, sd: float | None) -> float | None:
    import numpy as np

    if not sd or not len(x) or not len(y):
        return None
    with np.errstate(all="ignore"):  # what overflows is not finite, and None
        return finite(wasserstein.distance(x, y) / sd)


def _side(side: Numbers, values: np.ndarray, kind: PairKind, heights: tuple[int, ...]) -> Side:
    mean, sd = moments(values)
    low, high = (values[0], values[-1]) if len(values) else (None, None)
    is_time = kind == "time"
    return Side(
        rows=side.rows,
        missing=side.missing,
        nan=side.nan,
        infinite=len(side.values) - len(values),
        low=_told(low, is_time=is_time),
        high=_told(high, is_time=is_time),
        mean=None if is_time else mean,
        sd=sd,
        sketch=heights,
    )


def _told(value: np.generic | None, *, is_time: bool) -> float | str | None:
    if value is None:
        return None
    return instant(int(value)) if is_time else float(value)


def instant(microseconds: int) -> str:
    """A time as ISO 8601, to the second."""
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).strftime("%Y-%m-%d %H:%M:%S")
    except OverflowError:
        return f"{microseconds / 1e6:.0f} s from 1970"


def _disjoint(x: np.ndarray, y: np.ndarray) -> Literal["after", "before", ""]:
    if not len(x) or not len(y):
        return ""
    return "after" if y[0] > x[-1] else "before" if y[-1] < x[0] else ""


def _apart(x: np.ndarray, y: np.ndarray) -> Literal["apart", ""]:
    """Whether no whole number is on both sides."""
    whole = x.dtype.kind in "iu" and y.dtype.kind in "iu" and len(x) and len(y)
    return "apart" if whole and not _shared(x, y) else ""


def _all_differ(values: np.ndarray) -> bool:
    return bool((values[1:_GLANCE] != values[: _GLANCE - 1][: len(values[1:_GLANCE])]).all()) and bool(
        (values[1:] != values[:-1]).all()
    )


def _counts_on(values: np.ndarray) -> bool:
    return int(values[-1]) - int(values[0]) + 1 == len(values)


def _shared(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether any value is on both sides."""
    import numpy as np

    large, small = (x, y) if len(x) >= len(y) else (y, x)
    places = np.minimum(np.searchsorted(large, small), len(large) - 1)
    return bool((large[places] == small).any())
