"""One column of both tables: how it is compared, and what its tests could have detected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from audit.measures import ks, shares
from audit.records.drift import Levels, Pair, PairKind, Side, Test
from audit.tables import pair_levels, pair_numbers
from audit.tables.pair_blocks import retested
from audit.tables.pair_columns import Task
from audit.tables.pair_gaps import gaps
from audit.tables.pair_levels import Found
from audit.tables.pair_strata import Sides, Strata
from audit.tables.pair_values import Counts, alike, counts, lengths, numbers

POWER = 0.8


class Setting(NamedTuple):
    """How all columns are compared: `below` is the strictest level that a p-value may have to pass."""

    below: float
    owners: Sides | None = None
    strata: Strata | None = None


def compared(task: Task, sides: Sides, setting: Setting) -> Iterator[Found]:
    """The column as a whole, or once for each stratum; a level is unseen only where no stratum had it."""
    if setting.strata is None:
        yield _whole(task, sides, setting.owners, setting.below)
        return
    owners = dict(setting.strata.parts(setting.owners)) if setting.owners else {}
    news = pair_levels.news(*map(counts, sides)) if task.kind == "category" else (Levels(), Levels())
    for name, part in setting.strata.parts(sides):
        found = _whole(task, part, owners.get(name), setting.below)
        pair = replace(found.pair, stratum=name, unseen=news[0], vanished=news[1])
        yield found._replace(pair=pair)


def powered(found: Found, level: float) -> Pair:
    """The pair with the effect that each of its tests would have found with 80 % power at that level."""
    tests = (replace(test, detectable=_detectable(found, test, level)) for test in found.pair.tests)
    return replace(found.pair, tests=tuple(tests))


def _whole(task: Task, sides: Sides, owners: Sides | None, below: float) -> Found:
    found = _measured(task, sides, below)
    if owners is None or not found.pair.tests:
        return found
    return found._replace(pair=retested(found.pair, sides, owners, below))


def _measured(task: Task, sides: Sides, below: float) -> Found:
    if task.kind == "category":
        a, b = counts(sides.reference), counts(sides.current)
        if pair_levels.are_names(a, b) and not task.as_levels:
            return Found(_of_lengths(task.column, sides))
        return pair_levels.measured(task.column, a, b, below)
    if task.kind == "opaque":
        return Found(_untouched(task.column, "opaque", sides, "only what is missing can be compared"))
    x, y = alike(numbers(sides.reference), numbers(sides.current))
    if task.kind == "number" and not task.asked and (why := pair_numbers.identifiers(x, y)):
        return Found(_untouched(task.column, "identifier", sides, why))
    return Found(pair_numbers.measured(task.column, task.kind, x, y))


def _of_lengths(column: str, sides: Sides) -> Pair:
    x, y = alike(numbers(lengths(sides.reference)), numbers(lengths(sides.current)))
    pair = pair_numbers.measured(column, "text", x, y, "length_ks")
    return replace(pair, note="most of its values differ, so they are no levels; their lengths are compared")


def _untouched(column: str, kind: PairKind, sides: Sides, note: str) -> Pair:
    a, b = (Counts(None, len(side), side.null_count(), 0) for side in sides)
    sides_told = [Side(rows=side.rows, missing=side.missing) for side in (a, b)]
    return Pair(column=column, kind=kind, reference=sides_told[0], current=sides_told[1], tests=gaps(a, b), note=note)


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
