"""Whether a column is of the type that it should be, and how bad it is if not."""

from __future__ import annotations

from collections.abc import Iterator

from audit.checks.table._schema_words import counted, share
from audit.facts.tables.schema_zones import equal
from audit.records.findings import Violation
from audit.records.shape import ColumnShape
from audit.records.table import Column, ColumnType
from audit.records.words import Severity

_WORDS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})
_NESTED = frozenset({ColumnType.LIST, ColumnType.STRUCT, ColumnType.BINARY})


def typed(subject: str, found: ColumnShape, wanted: ColumnType, *, like: str = "", rows: int) -> Iterator[Violation]:
    """At most one violation. `like` names the table that has the wanted type; without it, the type was declared."""
    weight, told = _fit(found, wanted, like, rows)
    if weight is not None:
        yield Violation(
            subject=subject, kind="type", message=told, severity=weight, expected=str(wanted), found=_called(found)
        )


def _fit(found: ColumnShape, wanted: ColumnType, like: str, rows: int) -> tuple[Severity | None, str]:
    is_, whose = found.column.type, f"in {like}" if like else "declared"
    if is_ == wanted or {is_, wanted} <= _WORDS:
        return None, ""
    if ColumnType.NULL in {is_, wanted}:
        nowhere = "here" if is_ is ColumnType.NULL else whose
        return Severity.NOTE, f"{is_} here, {wanted} {whose}; no value {nowhere}, so nothing tells the type"
    if (is_, wanted) == (ColumnType.INTEGER, ColumnType.FLOAT):
        return Severity.NOTE, f"only whole numbers, {wanted} {whose}"
    if (is_, wanted) == (ColumnType.FLOAT, ColumnType.INTEGER):
        return _floating(found, rows, f"integer {whose}")
    if found.column.text and _reads_as(is_, wanted):
        weight = Severity.WARNING if like and wanted is ColumnType.STRING else Severity.NOTE
        return weight, f"every value here reads as {is_}; {wanted} {whose}"
    return Severity.ERROR, f"{_called(found)}, {wanted} {whose}"


def _reads_as(is_: ColumnType, wanted: ColumnType) -> bool:
    """Whether text that looks like the one may as well be the other."""
    if wanted is ColumnType.STRING:
        return is_ not in _NESTED
    return (is_, wanted) == (ColumnType.DATE, ColumnType.TIMESTAMP)


def _floating(found: ColumnShape, rows: int, whose: str) -> tuple[Severity, str]:
    """Readers without nullable integers make floats of them where values are missing; that loses nothing below 2^53."""
    physical = found.column.physical
    if not found.whole:
        return Severity.ERROR, f"float ({physical}) with values that are no whole numbers below 2^53, {whose}"
    if found.absent:
        nulls = f"{counted(found.absent, 'null')} ({share(found.absent, rows)})"
        return Severity.WARNING, f"integer with {nulls}, held as {physical}; {whose}"
    if found.column.text:
        return Severity.WARNING, f"whole numbers written as floats, {whose}"
    return Severity.ERROR, f"float ({physical}) though every value is a whole number, {whose}"


def _called(found: ColumnShape) -> str:
    column = found.column
    return f"{column.type} ({column.physical})" if column.physical != str(column.type) else str(column.type)


def zoned(subject: str, column: Column, wanted: str) -> Iterator[Violation]:
    """A declared zone: `naive`, `aware`, or one whose offsets the column's must have."""
    if column.type is not ColumnType.TIMESTAMP:
        return
    zone = column.zone
    fits = {"naive": zone is None, "aware": zone is not None}.get(wanted, zone is not None and equal(zone, wanted))
    if not fits:
        said = "without a time zone" if zone is None else f"in {zone}"
        yield Violation(
            subject=subject, kind="zone", message=f"timestamps {said}, {wanted} declared", expected=wanted, found=zone
        )


def clocked(subject: str, here: Column, there: Column, like: str) -> Iterator[Violation]:
    """Zone and unit of timestamps, held against those of the same column in the table `like`."""
    if there.type is not ColumnType.TIMESTAMP or here.type not in {ColumnType.TIMESTAMP, ColumnType.DATE}:
        return
    if (here.zone is None) != (there.zone is None):
        told = f"naive vs aware: {_zone(here)} here, {_zone(there)} in {like}"
        yield Violation(subject=subject, kind="zone", message=told, expected=_zone(there), found=_zone(here))
    elif here.zone and there.zone and not equal(here.zone, there.zone):
        told = f"time zone differs: {here.zone} here, {there.zone} in {like}; instants stay comparable"
        yield _differs(subject, "zone", told, Severity.WARNING)
    if here.unit and there.unit and here.unit != there.unit:
        told = f"clock in {here.unit} here, in {there.unit} in {like}"
        yield _differs(subject, "unit", told, Severity.NOTE)


def _zone(column: Column) -> str:
    return column.zone or "naive"


def _differs(subject: str, kind: str, told: str, weight: Severity) -> Violation:
    return Violation(subject=subject, kind=kind, message=told, severity=weight)
