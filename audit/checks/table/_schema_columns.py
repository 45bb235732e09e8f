"""Declared columns: there or not, in their order, of their type, and with as many values as they should have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from audit.checks.table._schema_types import typed, zoned
from audit.checks.table._schema_words import counted, cut, share
from audit.records.findings import Violation
from audit.records.schema import ColumnRule, Extra
from audit.records.shape import ColumnShape, Shape
from audit.records.text import guess
from audit.records.words import Severity

_EACH = 1_000  # columns that are told one by one
_GUESSED = 200  # columns up to which a mistyped name is looked for


def declared(path: str, shape: Shape, rules: Mapping[str, ColumnRule]) -> Iterator[Violation]:
    """Every declared column against the shape of the table."""
    there = shape.named()
    required = [name for name, rule in rules.items() if rule.required]
    yield from absent(path, required, there, "declared")
    for name, rule in rules.items():
        if name in there:
            yield from _held(f"{path}#{name}", there[name], rule, shape.rows)


def keyed(path: str, shape: Shape, rules: Mapping[str, ColumnRule], keys: Iterable[str]) -> Iterator[Violation]:
    """Columns of keys that are not there and were not declared."""
    named = shape.named()
    declared_too = {name for name, rule in rules.items() if rule.required}
    yield from absent(path, [name for name in keys if name not in declared_too], named, "part of a key")


def absent(path: str, wanted: Sequence[str], there: Mapping[str, ColumnShape], whose: str) -> Iterator[Violation]:
    """Columns that should be there, each with the name that may be meant."""
    gone = [name for name in wanted if name not in there]
    unclaimed = set(there).difference(wanted) if len(there) <= _GUESSED and len(gone) <= _GUESSED else ()
    yield from _each(path, "absent", gone, Severity.ERROR, lambda name: _meant(name, unclaimed, whose))


def _meant(name: str, others: Iterable[str], whose: str) -> str:
    hint = guess(name, others)
    return f"no such column; it is {whose}{f'; {hint}' if hint else ''}"


def extra(path: str, shape: Shape, known: Iterable[str], whose: str, allowed: Extra) -> Iterator[Violation]:
    """Columns that are not known."""
    if allowed is not Extra.ALLOW:
        weight = Severity.ERROR if allowed is Extra.FORBID else Severity.WARNING
        names = set(known)
        more = [one.column.name for one in shape.columns if one.column.name not in names]
        yield from _each(path, "extra", more, weight, lambda _: f"a column that is not {whose}")


def ordered(path: str, shape: Shape, known: Sequence[str], whose: str, weight: Severity) -> Iterator[Violation]:
    """The columns that both have, in the order of `known`."""
    named = shape.named()
    wanted = [name for name in known if name in named]
    there = set(wanted)
    found = [one.column.name for one in shape.columns if one.column.name in there]
    for place, (here, should) in enumerate(zip(found, wanted, strict=True), start=1):
        if here != should:
            told = f"columns stand in another order than {whose}: {cut(repr(here))} where {cut(repr(should))} should be"
            yield Violation(
                subject=path,
                kind="order",
                message=f"{told} (place {place:,} of those that both have)",
                severity=weight,
                expected=cut(should),
                found=cut(here),
            )
            return


def _each(
    path: str, kind: str, names: Sequence[str], weight: Severity, told: Callable[[str], str]
) -> Iterator[Violation]:
    for name in names[:_EACH]:
        yield Violation(subject=f"{path}#{name}", kind=kind, message=told(name), severity=weight)
    if (rest := len(names) - _EACH) > 0:
        yield Violation(subject=path, kind=kind, message=f"and {counted(rest, 'column')} more", severity=weight)


def _held(subject: str, found: ColumnShape, rule: ColumnRule, rows: int) -> Iterator[Violation]:
    if rule.type is not None:
        yield from typed(subject, found, rule.type, rows=rows)
    if rule.zone is not None:
        yield from zoned(subject, found.column, rule.zone)
    if not rule.nullable and found.absent:
        told = f"{found.absent:,} of {counted(rows, 'value')} missing ({share(found.absent, rows)}{_nan(found)})"
        yield Violation(subject=subject, kind="nullable", message=told, expected=0, found=found.absent)
    if rule.max_missing is not None and found.absent > rule.max_missing * rows:
        told = f"{share(found.absent, rows)} missing ({found.absent:,} of {rows:,}{_nan(found)}), more than allowed"
        yield Violation(
            subject=subject, kind="missing", message=told, expected=rule.max_missing, found=found.absent / rows
        )


def _nan(found: ColumnShape) -> str:
    return f", {found.nan:,} of them NaN" if found.nan else ""
