"""Tables of twenty columns for `false_alarms.py`: what real columns look like, and four ways in which they drift."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

Rng = np.random.Generator
Values = NDArray[np.float64 | np.int64]


def table(rng: Rng, rows: int, drift: str = "") -> pl.DataFrame:
    """So many rows of all columns, independent and alike from call to call; with `drift`, a name in `DRIFTS`."""
    columns = {name: pl.Series(name, draw(rng, rows)) for name, draw in _NUMBERS.items()}
    columns |= {name: _words(name, rng, rows, levels) for name, levels in _WORDS.items()}
    for name, share in _GAPS.items():
        columns[name] = _with_gaps(columns[name], rng, share)
    if drift:
        name, draw_drifted = DRIFTS[drift]
        columns[name] = draw_drifted(rng, rows)
    return pl.DataFrame(list(columns.values()))


def _normal(mean: float, deviation: float) -> Callable[[Rng, int], Values]:
    return lambda rng, rows: rng.normal(mean, deviation, rows)


def _zeros(share: float, rest: Callable[[Rng, int], Values]) -> Callable[[Rng, int], Values]:
    return lambda rng, rows: np.where(rng.random(rows) < share, 0, rest(rng, rows))


_NUMBERS: Mapping[str, Callable[[Rng, int], Values]] = {
    "normal": _normal(0, 1),
    "normal_far": _normal(1e6, 3),
    "normal_small": _normal(0, 1e-9),
    "normal_gaps": _normal(20, 5),
    "cauchy": lambda rng, rows: rng.standard_cauchy(rows),
    "student_2": lambda rng, rows: rng.standard_t(2, rows),
    "lognormal_2": lambda rng, rows: rng.lognormal(0, 2, rows),
    "pareto_gaps": lambda rng, rows: rng.pareto(1.1, rows),
    "poisson_1": lambda rng, rows: rng.poisson(1.0, rows),
    "poisson_30": lambda rng, rows: rng.poisson(30.0, rows),
    "ten_grades": lambda rng, rows: rng.binomial(9, 0.3, rows),
    "hundred_steps": lambda rng, rows: np.round(rng.beta(2, 5, rows), 2),
    "half_zeros": _zeros(0.5, lambda rng, rows: rng.exponential(1.0, rows)),
    "mostly_zeros": _zeros(0.95, lambda rng, rows: rng.exponential(1.0, rows)),
    "zeros_counts": _zeros(0.8, lambda rng, rows: rng.geometric(0.2, rows)),
    "zeros_gaps": _zeros(0.3, lambda rng, rows: rng.gamma(0.5, 1.0, rows)),
}

_WORDS = {"two_levels": 2, "three_levels": 3, "thirty_levels": 30, "three_hundred_levels": 300}
_GAPS = {"normal_gaps": 0.02, "pareto_gaps": 0.3, "zeros_gaps": 0.001, "three_levels": 0.1}


def _shares(levels: int) -> NDArray[np.float64]:
    """Zipf's law: of 30 levels the rarest has 0.8 % of the rows, of 300 levels 0.05 %."""
    weights = 1.0 / np.arange(1, levels + 1)
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def _words(name: str, rng: Rng, rows: int, levels: int, moved: float = 0.0) -> pl.Series:
    """Words whose first level loses, and whose second level gains, a share of `moved`."""
    shares = _shares(levels)
    shares[:2] += (-moved, moved)
    names = pl.Series(name, [f"level {k}" for k in range(levels)])
    return names.gather(rng.choice(levels, rows, p=shares))


def _with_gaps(column: pl.Series, rng: Rng, share: float) -> pl.Series:
    kept = pl.Series(rng.random(len(column)) >= share)
    return column.to_frame().select(pl.when(kept).then(pl.col(column.name))).to_series()


DRIFTS: Mapping[str, tuple[str, Callable[[Rng, int], pl.Series]]] = {
    "a shift of 0.2 standard deviations": (
        "normal",
        lambda rng, rows: pl.Series("normal", rng.normal(0.2, 1, rows)),
    ),
    "a doubled variance": (
        "normal",
        lambda rng, rows: pl.Series("normal", rng.normal(0, np.sqrt(2), rows)),
    ),
    "a class share moved by 5 points, of 3 classes": (
        "three_levels",
        lambda rng, rows: _words("three_levels", rng, rows, 3, 0.05),
    ),
    "a class share moved by 5 points, of 30 classes": (
        "thirty_levels",
        lambda rng, rows: _words("thirty_levels", rng, rows, 30, 0.05),
    ),
    "10 % missing where nothing was": (
        "normal",
        lambda rng, rows: _with_gaps(pl.Series("normal", rng.normal(0, 1, rows)), rng, 0.1),
    ),
}
