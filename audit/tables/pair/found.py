"""One column of both tables: how it is compared, and what its tests could have detected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from audit.measures import ks, shares
from audit.records.drift import Levels, Pair, PairKind, Side, Test
from audit.tables.pair import levels as pair_levels
from audit.tables.pair import numbers as pair_numbers
from audit.tables.pair.blocks import Owners, retested
from audit.tables.pair.columns import Task
from audit.tables.pair.gaps import gaps
from audit.tables.pair.levels import Found
from audit.tables.pair.strata import Sides, Strata
from audit.tables.pair.values import Numbers, Rows, alike, counts, lengths, numbers
from audit.tables.values import Held, Values

if TYPE_CHECKING:
    import polars as pl

POWER = 0.8


class Setting(NamedTuple):
    """How all columns are compared: `below` is the strictest level that a p-value may have to pass.

    `memory` are the bytes that a column may take.
    """

    below: float
    memory: int = 0
    owners: Owners | None = None
    strata: Strata | None = None


class Both(NamedTuple):
    """A column of both tables, and how many rows they have."""

    reference: Values
    current: Values
    rows: tuple[int, int]


def compared(task: Task, both: Both, setting: Setting) -> Found:
    """The column as a whole, whether it is held or read as it is measured."""
    return _measured(task, both, setting.below)


def compared_in_parts(task: Task, sides: Sides, setting: Setting) -> Iterator[Found]:
    """The column by groups of rows, or once for each stratum; a level is unseen only where no stratum had it."""
    if setting.strata is None:
        yield _whole(task, sides, setting.owners, setting.below)
        return
    owners = dict(_owners(setting.owners, setting.strata)) if setting.owners else {}
    both = _held(sides)
    news = pair_levels.news(counts(both.reference), counts(both.current)) if task.kind == "category" else None
    for name, part in setting.strata.parts(sides):
        found = _whole(task, part, owners.get(name), setting.below)
        unseen, vanished = news or (Levels(), Levels())
        yield found._replace(pair=replace(found.pair, stratum=name, unseen=unseen, vanished=vanished))


def _owners(whole: Owners, strata: Strata) -> Iterator[tuple[str, Owners]]:
    for name, part in strata.parts(Sides(whole.reference, whole.current)):
        yield name, whole._replace(reference=part.reference, current=part.current)


def powered(found: Found, level: float) -> Pair:
    """The pair with the effect that each of its tests would have found with 80 % power at that level."""
    tests = (replace(test, detectable=_detectable(found, test, level)) for test in found.pair.tests)
    return replace(found.pair, tests=tuple(tests))


def _held(sides: Sides) -> Both:
    return Both(Held(sides.reference), Held(sides.current), (len(sides.reference), len(sides.current)))


def _whole(task: Task, sides: Sides, owners: Owners | None, below: float) -> Found:
    found = _measured(task, _held(sides), below)
    if owners is None or not found.pair.tests:
        return found
    return found._replace(pair=retested(found.pair, sides, owners, below))


def _measured(task: Task, both: Both, below: float) -> Found:
    if task.kind == "category":
        a, b = counts(both.reference), counts(both.current)
        if pair_levels.are_names(a, b) and not task.as_levels:
            return Found(_of_lengths(task.column, both))
        return pair_levels.measured(task.column, a, b, below)
    if task.kind == "opaque":
        return Found(_untouched(task.column, "opaque", both, "only what is missing can be compared"))
    x, y = _numbers(both)
    if task.kind == "number" and not task.asked and (why := pair_numbers.identifiers(x, y)):
        return Found(_untouched(task.column, "identifier", both, why))
    return Found(pair_numbers.measured(task.column, task.kind, x, y))


def _numbers(both: Both, told: Callable[[pl.Series], pl.Series] | None = None) -> tuple[Numbers, Numbers]:
    return alike(numbers(both.reference, both.rows[0], told), numbers(both.current, both.rows[1], told))


def _of_lengths(column: str, both: Both) -> Pair:
    pair = pair_numbers.measured(column, "text", *_numbers(both, lengths), "length_ks")
    return replace(pair, note="most of its values differ, so they are no levels; their lengths are compared")


def _untouched(column: str, kind: PairKind, both: Both, note: str) -> Pair:
    a, b = (Rows(rows, _missing(side), 0) for side, rows in zip(both[:2], both.rows, strict=True))
    told = [Side(rows=side.rows, missing=side.missing) for side in (a, b)]
    return Pair(column=column, kind=kind, reference=told[0], current=told[1], tests=gaps(a, b), note=note)


def _missing(side: Values) -> int:
    return sum(batch.null_count() for batch in side.batches())


def _detectable(found: Found, test: Test, level: float) -> float | None:
    n, m = (max(1, int(rows)) for rows in test.worth or test.sizes)
    if test.blind:
        return 1.0
    if test.name in {"ks", "length_ks"}:
        return ks.detectable(n, m, level, POWER)
    if test.name == "total_variation":
        return None if found.totals is None else shares.detectable(found.totals, n, m, level, POWER)
    side = found.pair.reference
    share = (side.missing if test.name == "missing" else side.nan) / max(1, side.rows)
    return shares.difference_detectable(n, m, level, POWER, share)
