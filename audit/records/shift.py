"""Whether a classifier tells the rows of one table from those of another, and by what."""

from __future__ import annotations

from audit.records.base import Record


class Gave(Record):
    """A column and how much it gave away: the loss of AUC when its values are permuted, or its mean |SHAP value|."""

    column: str
    importance: float


class Left(Record):
    """A column that was not looked at, and why."""

    column: str
    reason: str


class Shift(Record):
    """The answer of a classifier two-sample test.

    `path` is that of the current dataset, as declared. `rows` are those of the reference
    and of the current table, `sampled` those looked at. `auc` is None where there were too
    few rows, groups or columns to train on. `low` and `high` bound it with 95 %
    confidence; `p` is the probability of such an area or a larger one if both were alike,
    `detectable` the area that these sizes find with 80 % power.
    """

    path: str = ""
    rows: tuple[int, int]
    sampled: tuple[int, int]
    columns: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    groups: tuple[int, int] | None = None
    auc: float | None = None
    low: float = 0.0
    high: float = 1.0
    p: float = 1.0
    detectable: float = 1.0
    gave: tuple[Gave, ...] = ()
