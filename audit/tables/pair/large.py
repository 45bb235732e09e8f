"""Columns that are larger than memory: a profile of the reference takes the place of its values."""

from __future__ import annotations

from audit.records.profile import ColumnProfile, TableProfile
from audit.records.table import Column
from audit.tables.pair.columns import Task
from audit.tables.profile.edges import MOST_BINS
from audit.tables.profile.numbers import Size, number_profile
from audit.tables.profile.profile import MOST_LEVELS
from audit.tables.profile.words import levels, outline, words_profile
from audit.tables.table import Table
from audit.tables.values import Streamed

_WIDTH = 16  # bytes of a number while its column is sorted: itself, and what is made of it piece by piece
_LEVEL = 160  # bytes of a distinct word while words are counted, beside the word


def needed(rows: int) -> int:
    """Bytes that a column of so many rows takes while it is measured."""
    return rows * _WIDTH


def large(task: Task, reference: Table, rows: int, memory: int) -> TableProfile | None:
    """The profile of a column that, of `rows` rows on both sides, does not fit into so many bytes; None if it does."""
    if task.kind in {"number", "time"} and needed(rows) > 2 * memory:
        return _alone(reference, _numbers(reference, task.column, memory))
    if task.kind == "category" and rows * _LEVEL > 2 * memory:
        return _alone(reference, _words(reference, task.column, memory))
    return None


def _alone(reference: Table, column: ColumnProfile | None) -> TableProfile | None:
    return None if column is None else TableProfile(rows=reference.rows, columns=(column,))


def _numbers(reference: Table, name: str, memory: int) -> ColumnProfile:
    size = Size(rows=reference.rows, bins=MOST_BINS, budget=memory)
    return number_profile(reference.column(name), Streamed(reference, name), size)


def _words(reference: Table, name: str, memory: int) -> ColumnProfile | None:
    """None where they are few enough after all."""
    column: Column = reference.column(name)
    values = Streamed(reference, name)
    seen = outline(values)
    size = _LEVEL + seen.size // max(seen.rows - seen.missing, 1)
    if seen.kinds * size <= memory:
        return None
    return words_profile(column, seen, levels(values, seen, MOST_LEVELS, memory))
