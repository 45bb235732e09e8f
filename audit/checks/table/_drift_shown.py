"""What a person looks at: an overview of all columns, further measures, and drifted columns drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from audit.checks.table._drift_judged import Judged
from audit.checks.table._schema_words import cut
from audit.records.drift import Side
from audit.records.findings import Exhibit, Figure, Scalar

ROWS = 300
"""Columns that one overview holds, if they fit: an exhibit has at most 64 KiB."""

OVERVIEW = 5_000
"""Columns of all overviews together, the worst first."""

DRAWN = 60
"""Columns that are drawn, the worst first."""

FIGURES = 50
"""Columns whose numbers are figures, the worst first."""

_BRIEF = {"ks": "D", "length_ks": "D, lengths", "total_variation": "variation", "missing": "missing", "nan": "NaN"}
"""The measures in a word, for a cell."""

_UNITS = {"time": "us", "text": "characters"}
"""Of the edges between which a column is drawn; times are microseconds since 1970."""

Row: TypeAlias = list[Scalar | list[int]]
_ROOM = 60_000
_RANK = {"drift": 0, "insufficient": 1, "pass": 2}
_FURTHER = ("column", "rows", "rows now", "PSI", "PSI, missing as a level", "Jensen-Shannon", "Wasserstein / sd")


def worst_first(columns: Sequence[Judged]) -> list[Judged]:
    """By what became of them, then by how many times their tolerance they have moved."""
    return sorted(columns, key=lambda one: (_RANK[one.state], -_times(one), one.name))


def exhibits(columns: Sequence[Judged], names: tuple[str, str]) -> Iterator[Exhibit]:
    """The overview first, then drawings, then what decides nothing."""
    order = worst_first(columns)
    for rows in _fitting([_row(one) for one in order[:OVERVIEW]]):
        yield Exhibit(type="columns", title="Columns", data={"names": list(names), "rows": rows})
    drifted = [one for one in order if one.state == "drift" and one.pair.drawing]
    for one in drifted[:DRAWN]:
        yield from _drawn(one, names)
    for further in _fitting([_further(one) for one in order[:ROWS] if one.compared]):
        yield Exhibit(type="table", title="Further measures", data={"columns": list(_FURTHER), "rows": further})


def _fitting(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """As many rows at once as an exhibit may hold."""
    some: list[Row] = []
    size = 0
    for row in rows:
        taken = len(msgspec.json.encode(row))
        if some and (len(some) == ROWS or size + taken > _ROOM):
            yield some
            some, size = [], 0
        some, size = [*some, row], size + taken
    if some:
        yield some


def figures(columns: Sequence[Judged]) -> Iterator[Figure]:
    """Effects, chances and stability indices of the worst columns; counts of all."""
    for one in worst_first(columns)[:FIGURES]:
        for verdict in one.verdicts:
            yield Figure(name=f"{verdict.test.name}.{one.name}", value=verdict.test.effect)
            yield Figure(name=f"p_{verdict.test.name}.{one.name}", value=verdict.test.p)
        if one.pair.psi is not None:
            yield Figure(name=f"psi.{one.name}", value=one.pair.psi)
        if one.pair.psi_missing is not None and one.pair.psi_missing != one.pair.psi:
            yield Figure(name=f"psi_with_missing.{one.name}", value=one.pair.psi_missing)


def _times(one: Judged) -> float:
    return max((each.test.effect / (each.tolerance or 1e-9) for each in one.verdicts), default=0.0)


def _row(one: Judged) -> Row:
    """The test that moved most stands for the column."""
    worst = max(
        one.verdicts,
        key=lambda each: (-_RANK[each.state], each.test.effect / (each.tolerance or 1e-9)),
        default=None,
    )
    a, b = one.pair.reference, one.pair.current
    outcome = one.state if one.compared or one.state != "pass" else "not compared"
    tested: Row = ["", None, None, None, None]
    if worst is not None:
        seen = worst.test.detectable
        tested = [
            _BRIEF[worst.test.name] + (", binned" if one.pair.binned else ""),
            _short(worst.test.effect),
            worst.tolerance,
            _short(worst.chance),
            None if seen is None else _short(seen),
        ]
    return [cut(one.name), one.pair.kind, *tested, outcome, _gaps(a), _gaps(b), list(a.sketch), list(b.sketch)]


def _further(one: Judged) -> Row:
    pair = one.pair
    measures = (pair.psi, pair.psi_missing, pair.jensen_shannon, pair.wasserstein)
    told = [None if value is None else _short(value) for value in measures]
    return [cut(one.name), pair.reference.rows, pair.current.rows, *told]


def _drawn(one: Judged, names: tuple[str, str]) -> Iterator[Exhibit]:
    drawing = one.pair.drawing
    if drawing is None:
        return
    series = {names[0]: list(drawing.reference), names[1]: list(drawing.current)}
    title = f"{cut(one.name)}: reference against current"
    if drawing.edges:
        unit = _UNITS.get(one.pair.kind, "")
        data = {"edges": list(drawing.edges), "series": series, "unit": unit}
        yield Exhibit(type="histogram", title=title, data=data)
    else:
        yield Exhibit(type="bars2", title=title, data={"labels": list(drawing.labels), "series": series})


def _gaps(side: Side) -> float | None:
    return _short((side.missing + side.nan) / side.rows) if side.rows else None


def _short(value: float) -> float:
    return float(f"{value:.4g}")
