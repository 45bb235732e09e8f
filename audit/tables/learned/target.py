"""Each feature of a table alone against the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from audit.errors import CannotLook
from audit.measures.single_feature import copied_by_chance, gap, ordered_by_chance
from audit.records.shift import Left
from audit.records.table import Column
from audit.records.target import Single, Target
from audit.tables.learned.encode import family, names_rows
from audit.tables.learned.target_label import Label, answers_of, label, like, text
from audit.tables.learned.target_strength import Encoded, correlation, encoded, strengths
from audit.tables.pair.columns import matches
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

_EXACTLY = 1 - 1e-9
_GLANCE = 1_000


class Wanted(NamedTuple):
    """What the rule says: the label and how to take it, the features (none named: all others), and rows at most."""

    label: str
    task: Literal["auto", "classes", "numbers"] = "auto"
    columns: Sequence[str] = ()
    ignore: Sequence[str] = ()
    rows: int = 100_000


class Sides(NamedTuple):
    """The tables with their labels; the current one may be missing."""

    here: tuple[Table, Label]
    there: tuple[Table, Label] | None


def target(reference: Table, current: Table | None, wanted: Wanted) -> Target:
    """Every feature in turn, one column of both tables at a time."""
    import numpy as np

    known = label(reference, wanted.label, wanted.rows, wanted.task)
    counts = np.bincount(known.values[known.values >= 0]).tolist() if known.names else []
    if len(known.picks) == 0 or (known.names and len(known.names) < 2):  # noqa: PLR2004 - one class is no label
        raise CannotLook(f"the label {wanted.label!r} has fewer than two values")
    labelled = current is not None and any(column.name == wanted.label for column in current.columns)
    there = (current, like(current, wanted.label, wanted.rows, known)) if current and labelled else None
    sides = Sides((reference, known), there)
    found = list(_features(sides, wanted))
    neighbours = _neighbours(answers_of(reference, wanted.label), known)
    order = strengths(Encoded(known.picks.astype(np.float64)), None, known, None)[0]
    return Target(
        task="numbers" if known.names is None else "classes",
        rows=known.rows,
        sampled=len(known.picks),
        smallest=min(counts, default=0),
        compared=len(there[1].picks) if there else None,
        features=tuple(one for one in found if isinstance(one, Single)),
        left=tuple(one for one in found if isinstance(one, Left)),
        order=order,
        neighbours=neighbours[0],
        neighbours_by_chance=neighbours[1],
    )


def _features(sides: Sides, wanted: Wanted) -> Iterator[Single | Left]:
    table, _ = sides.here
    for pattern in wanted.columns:
        if not any(matches(column.name, [pattern]) for column in table.columns):
            table.column(pattern)
    for column in table.columns:
        name = column.name
        if name == wanted.label or (wanted.columns and not matches(name, wanted.columns)):
            continue
        if matches(name, wanted.ignore):
            yield Left(column=name, reason="ignored by the rule")
        elif family(column) in {"", "nothing"}:
            yield Left(column=name, reason="no values" if family(column) else f"a {column.type}")
        else:
            yield _single(column, sides, wanted)


def _single(column: Column, sides: Sides, wanted: Wanted) -> Single:
    table, known = sides.here
    whole = table.values(column.name)
    some = whole.gather(known.picks)
    other = _other(column, sides)
    identifier = names_rows(column, some) and names_rows(column, whole)
    first, second = encoded(column, some, other)
    here, there = strengths(first, second, known, sides.there[1] if sides.there else None)
    copy, chance = _copies(whole, some, sides, wanted) if known.names else _monotone(first, known)
    return Single(
        column=column.name,
        here=here,
        there=there,
        gap=gap(here, there) if there else 1.0,
        copy=copy,
        copy_p=chance,
        identifier=identifier,
    )


def _other(column: Column, sides: Sides) -> pl.Series | None:
    """The feature in the current table, if it is there and of the same sort."""
    if sides.there is None:
        return None
    table, known = sides.there
    twin = next((one for one in table.columns if one.name == column.name), None)
    if twin is None or family(twin) != family(column):
        return None
    return table.values(column.name).gather(known.picks)


def _copies(whole: pl.Series, some: pl.Series, sides: Sides, wanted: Wanted) -> tuple[bool, float]:
    """Whether values and classes correspond one to one in all rows with a label; looked at in the sample first."""
    import numpy as np
    import polars as pl

    table, known = sides.here
    few = some.head(_GLANCE).n_unique() <= known.classes  # most columns are done with here
    if not few or some.n_unique() != known.classes or known.values.min(initial=0) < 0:
        return False, 1.0
    answers = answers_of(table, wanted.label)
    pairs = pl.DataFrame({"value": text(whole), "class": text(answers)}).filter(pl.col("class").is_not_null()).unique()
    if not len(pairs) == pairs.get_column("value").n_unique() == pairs.get_column("class").n_unique():
        return False, 1.0
    return True, copied_by_chance(np.bincount(known.values).tolist())


def _monotone(first: Encoded, known: Label) -> tuple[bool, float]:
    """Whether the order of the values is that of the label, or its reverse, in every row; a mere row number is not."""
    import numpy as np

    if first.ordered is None or np.isnan(first.ordered).any():
        return False, 1.0
    exact = abs(correlation(first.ordered, known.values)) >= _EXACTLY
    if not exact or abs(correlation(first.ordered, known.picks.astype(np.float64))) >= _EXACTLY:
        return False, 1.0
    return True, ordered_by_chance(np.unique(known.values, return_counts=True)[1].tolist())


def _neighbours(answers: pl.Series, known: Label) -> tuple[float, float] | tuple[None, None]:
    """How often a row has the class of the row before, over all rows, and how often it would in random order."""
    if known.names is None or len(answers) < 2:  # noqa: PLR2004 - a row before
        return None, None
    words = text(answers)
    same = float((words == words.shift(1)).fill_null(value=False).sum()) / (len(words) - 1)
    shares = words.value_counts().get_column("count") / len(words)
    return same, float((shares**2).sum())
