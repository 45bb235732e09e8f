"""What reading a table met, as violations: whatever a reader would lose or make up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from audit.checks.table._schema_words import counted
from audit.records.findings import Violation
from audit.records.schema import ColumnRule
from audit.records.table import ColumnType, Remark
from audit.records.words import Severity

Alike = AbstractSet[tuple[str | None, str]]

_WEIGHT: Mapping[str, Severity] = MappingProxyType(
    dict.fromkeys(("ragged", "encoding", "not-json", "duplicate-name", "inexact"), Severity.ERROR)
    | dict.fromkeys(("mixed", "missing-word"), Severity.WARNING)
    | {"leading-zeros": Severity.NOTE}  # postal codes, telephone numbers: text that was read as the text it is
)
_SETTLED = frozenset({"leading-zeros", "mixed", "missing-word"})
_PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "ragged": "rows have another number of fields, and are left out",
        "encoding": "values hold bytes that are not of the encoding",
        "not-json": "lines are no JSON, and are left out",
        "duplicate-name": "columns share a name",
        "inexact": "integers are not exactly representable as float64",
        "leading-zeros": "values begin with zeros that numbers do not keep",
        "mixed": "values are of another type than the others",
        "missing-word": "values are words that readers take for missing",
    }
)
_LINES = 5


def remarked(
    path: str, remark: Remark, rules: Mapping[str, ColumnRule], *, show: bool, alike: Alike = frozenset()
) -> Violation:
    """One violation a remark. What a declared `type: string` settles, or a table has that it must be like, is a note.

    `alike` are the columns of that other table, each with a kind of remark.
    """
    column = remark.column
    told = remark.message if show else f"{remark.count:,} {_PLAIN.get(remark.kind, remark.kind)}"
    return Violation(
        subject=path if column is None else f"{path}#{column}",
        kind=remark.kind,
        message=f"{told}{_at(remark)}",
        severity=_weight(remark, rules, alike),
        found=remark.count,
    )


def _weight(remark: Remark, rules: Mapping[str, ColumnRule], alike: Alike) -> Severity:
    rule = rules.get(remark.column) if remark.column is not None else None
    declared = rule is not None and rule.type is ColumnType.STRING
    if remark.kind in _SETTLED and (declared or (remark.column, remark.kind) in alike):
        return Severity.NOTE
    return _WEIGHT.get(remark.kind, Severity.WARNING)


def _at(remark: Remark) -> str:
    """Where: the first lines, and the file."""
    if not remark.lines:
        return f" ({remark.file})" if remark.file else ""
    lines = ", ".join(f"{line}" for line in remark.lines[:_LINES])
    more = ", ..." if remark.count > len(remark.lines[:_LINES]) else ""
    return f" ({remark.file}{' ' if remark.file else ''}line{'s' if len(remark.lines) > 1 else ''} {lines}{more})"


def reading(
    path: str,
    remarks: tuple[Remark, ...],
    rules: Mapping[str, ColumnRule],
    *,
    show: bool,
    alike: Alike = frozenset(),
) -> Iterator[Violation]:
    """All of them, in the order of the table."""
    yield from (remarked(path, remark, rules, show=show, alike=alike) for remark in remarks)


def dropped(remarks: tuple[Remark, ...]) -> str:
    """How many rows are not there because they could not be read; "" if none."""
    left = sum(remark.count for remark in remarks if remark.kind in {"ragged", "not-json"})
    return f"{counted(left, 'row')} left out" if left else ""
