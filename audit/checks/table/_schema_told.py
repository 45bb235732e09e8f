"""A table's shape in figures, as a table of its columns, and in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.checks.table._schema_reading import dropped
from audit.checks.table._schema_words import counted, cut, share
from audit.facts.tables.schema import Shapes
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.shape import ColumnShape, Shape
from audit.records.words import Severity

_DRAWN = 200


def told(shapes: Shapes, found: Sequence[Violation]) -> Iterator[Finding]:
    """Figures, the exhibit, the summary."""
    own = shapes.own
    cells = own.rows * len(own.columns)
    absent = sum(one.absent for one in own.columns)
    yield Figure(name="rows", value=own.rows)
    yield Figure(name="columns", value=len(own.columns))
    yield Figure(name="missing_ratio", value=absent / cells if cells else 0.0)
    yield Figure(name="columns_with_missing", value=sum(bool(one.absent) for one in own.columns))
    yield Exhibit(type="table", title=_title(own), data={"columns": _HEAD, "rows": _drawn(own)})
    yield Summary(text=_summary(own, found))


_HEAD = ["column", "type", "physical", "missing", "levels"]


def _title(own: Shape) -> str:
    return "Columns" if len(own.columns) <= _DRAWN else f"Columns, the first {_DRAWN} of {len(own.columns):,}"


def _drawn(own: Shape) -> list[list[str | int]]:
    return [
        [cut(one.column.name), _type(one), cut(one.column.physical), share(one.absent, own.rows), _distinct(one)]
        for one in own.columns[:_DRAWN]
    ]


def _type(one: ColumnShape) -> str:
    return f"{one.column.type} [{one.column.zone}]" if one.column.zone else str(one.column.type)


def _distinct(one: ColumnShape) -> str | int:
    return "" if one.levels is None else len(one.levels)


def _summary(own: Shape, found: Sequence[Violation]) -> str:
    size = f"{counted(own.rows, 'row')} of {counted(len(own.columns), 'column')}"
    if left := dropped(own.remarks):
        size = f"{size}, {left}"
    weights = [one.severity for one in found if not one.unseen]
    blind = len([one for one in found if one.unseen])
    errors, warnings = weights.count(Severity.ERROR), weights.count(Severity.WARNING)
    parts = [counted(errors, "error")] * bool(errors) + [counted(warnings, "warning")] * bool(warnings)
    parts += [f"{counted(blind, 'expectation')} that could not be looked at"] * bool(blind)
    return f"{size}: {' and '.join(parts) or 'as expected'}"
