"""Which columns of two tables are compared with each other, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from audit.records.drift import Apart, PairKind, PairQuestion
from audit.records.table import Column, ColumnType

_KINDS: dict[ColumnType, PairKind] = {
    ColumnType.INTEGER: "number",
    ColumnType.FLOAT: "number",
    ColumnType.DURATION: "number",
    ColumnType.TIME: "number",
    ColumnType.TIMESTAMP: "time",
    ColumnType.DATE: "time",
    ColumnType.BOOLEAN: "category",
    ColumnType.STRING: "category",
    ColumnType.CATEGORICAL: "category",
}
_SAME = ({ColumnType.INTEGER, ColumnType.FLOAT}, {ColumnType.STRING, ColumnType.CATEGORICAL})


class Task(NamedTuple):
    """A column to compare; `asked` where the rule names it, `as_levels` where it says that its values are levels.

    `width` is about how many bytes a row of it takes.
    """

    column: str
    kind: PairKind
    asked: bool = False
    as_levels: bool = False
    width: int = 8


class Choice(NamedTuple):
    """What to compare, and what cannot be or is not to be."""

    tasks: tuple[Task, ...]
    absent: tuple[Apart, ...]
    types: tuple[Apart, ...]
    left_out: tuple[str, ...]


def chosen(question: PairQuestion, reference: Sequence[Column], current: Sequence[Column]) -> Choice:
    """Columns in the reference's order, then what only the current table has."""
    here, there = {one.name: one for one in reference}, {one.name: one for one in current}
    names = _named(question.columns, [*here, *(name for name in there if name not in here)])
    ignored = [name for name in names if matches(name, question.ignore)]
    apart = {name for name in (question.blocks, question.by) if name}  # a column may have no name at all
    kept = [name for name in names if name not in apart.union(ignored)]
    tasks, absent, types = [], [], []
    for name in kept:
        a, b = here.get(name), there.get(name)
        if a is None or b is None:
            absent.append(Apart(column=name, reference=_type(a), current=_type(b)))
        elif kind := _kind(a, b, as_levels=(levels := matches(name, question.categories))):
            tasks.append(Task(name, kind, bool(question.columns), levels, 8 if kind in {"number", "time"} else 32))
        else:
            types.append(Apart(column=name, reference=_type(a), current=_type(b)))
    return Choice(tuple(tasks), tuple(absent), tuple(types), tuple(ignored))


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a column is named, literally or by a pattern of `*`, `?` and `[...]`."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _named(asked: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those that the rule asks for, all if it asks for none; a name that no table has is kept, to be reported."""
    if not asked:
        return list(known)
    return [*(name for name in known if matches(name, asked)), *_unknown(asked, known)]


def _unknown(asked: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    return (pattern for pattern in asked if not any(matches(name, [pattern]) for name in known))


def _kind(a: Column, b: Column, *, as_levels: bool) -> PairKind | None:
    """How to compare them; None for types that cannot be compared. A column of nulls alone has any type."""
    if ColumnType.NULL in {a.type, b.type}:
        return _of(b if a.type is ColumnType.NULL else a, as_levels=as_levels)
    if not (a.type is b.type or {a.type, b.type} in [*_SAME, {ColumnType.TIMESTAMP, ColumnType.DATE}]):
        return None
    if ColumnType.TIMESTAMP in {a.type, b.type} and (a.zone is None) is not (b.zone is None):
        return None
    return _of(a, as_levels=as_levels)


def _of(column: Column, *, as_levels: bool) -> PairKind:
    kind = _KINDS.get(column.type, "opaque")
    return "category" if as_levels and kind == "number" else kind


def _type(column: Column | None) -> str | None:
    if column is None:
        return None
    clock = f", {column.zone}" if column.zone else ", naive" if column.type is ColumnType.TIMESTAMP else ""
    return f"{column.type} ({column.physical}{clock})"
