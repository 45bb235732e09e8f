"""The label of a table in the rows that are looked at: classes, or ranks of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from audit.errors import CannotLook
from audit.records.table import ColumnType
from audit.tables.learned.encode import family, numbers
from audit.tables.sample import positions
from audit.tables.table import Table

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

CLASSES = 50
"""Classes that are told apart; the rarer ones are one."""

_FEW = 20
"""Whole numbers with at most so many values are classes."""

_SEED = 31


class Label(NamedTuple):
    """The rows looked at (their numbers in the table), and their classes or ranks; `names` are the classes, or None.

    Ranks are shares of the reference's labels that are smaller, ties half.
    """

    picks: NDArray[np.int64]
    values: NDArray[Any]
    names: tuple[str, ...] | None
    rows: int
    sorted: NDArray[np.float64] | None = None

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.names or ())


def label(table: Table, name: str, wanted: int, task: Literal["auto", "classes", "numbers"]) -> Label:
    """The label of the reference, in at most `wanted` rows. Raises `CannotLook` where it is no label."""
    column, values = table.column(name), answers_of(table, name)
    kind = family(column)
    if kind not in {"number", "words", "time"}:
        raise CannotLook(f"a column of type {column.type} is no label: {name!r}")
    picks = _labelled(values, wanted)
    some = values.gather(picks)
    rows = len(values) - values.null_count()
    if kind == "words" and task == "numbers":
        raise CannotLook(f"the label {name!r} is words, not numbers")
    whole = column.type in {ColumnType.INTEGER, ColumnType.BOOLEAN} or _whole(some)
    few = kind == "number" and whole and some.n_unique() <= _FEW
    if task == "classes" or (task == "auto" and (kind == "words" or few)):
        names = _classes(some)
        return Label(picks, _coded(some, names), names, rows)
    import numpy as np

    ordered = np.sort(numbers(some))
    return Label(picks, _ranks(numbers(some), ordered), None, rows, ordered)


def like(table: Table, name: str, wanted: int, other: Label) -> Label:
    """The label of the current table, in the terms of the reference; rows of other classes are left out."""
    import numpy as np

    values = answers_of(table, name)
    picks = _labelled(values, wanted)
    some = values.gather(picks)
    rows = len(values) - values.null_count()
    if other.names is None:
        return Label(picks, _ranks(numbers(some), np.asarray(other.sorted)), None, rows, other.sorted)
    found = _coded(some, other.names)
    return Label(picks[found >= 0], found[found >= 0], other.names, rows)


def answers_of(table: Table, name: str) -> pl.Series:
    """The label in all rows; NaN is a missing one."""
    values = table.values(name)
    return values.fill_nan(None) if values.dtype.is_float() else values


def text(values: pl.Series) -> pl.Series:
    """Values as words that are equal for whole numbers, whatever their width: 1, 1.0 and true."""
    import polars as pl

    if values.dtype == pl.Boolean:
        values = values.cast(pl.Int8)
    if values.dtype.is_float() and _whole(values):
        values = values.cast(pl.Int64, strict=False)
    return values.cast(pl.String)


def _whole(values: pl.Series) -> bool:
    """Whether all are whole numbers of a size that a float64 holds exactly."""
    if not values.dtype.is_float():
        return values.dtype.is_integer()
    present = values.drop_nulls()
    return bool(((present == present.round()) & (present.abs() < 2**53)).all())


def _labelled(values: pl.Series, wanted: int) -> NDArray[np.int64]:
    """The numbers of rows that have a label."""
    rows: NDArray[np.int64] = values.is_not_null().arg_true().to_numpy().astype("int64")
    return rows[positions(len(rows), wanted, _SEED)]


def _classes(some: pl.Series) -> tuple[str, ...]:
    counted = text(some).rename("class").value_counts().sort(["count", "class"], descending=[True, False])
    return tuple(counted.get_column("class").head(CLASSES).to_list())


def _coded(some: pl.Series, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The number of each row's class, -1 for others."""
    import polars as pl

    known = pl.DataFrame(
        {"class": list(names), "code": list(range(len(names)))}, schema={"class": pl.String, "code": pl.Int64}
    )
    joined = pl.DataFrame({"class": text(some)}).join(known, on="class", how="left", maintain_order="left")
    codes: NDArray[np.int64] = joined.get_column("code").fill_null(-1).to_numpy()
    return codes


def _ranks(values: NDArray[np.float64], ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    found = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    ranks: NDArray[np.float64] = found / (2.0 * len(ordered))
    return ranks
