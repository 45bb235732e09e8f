"""Answers questions about the splits of tables: equal rows, shared groups, order in time, classes, keys."""

from __future__ import annotations

from collections.abc import Iterator

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.records.base import Record
from audit.records.splits import (
    AskClasses,
    AskGroups,
    AskOverlap,
    AskTimes,
    Classes,
    Groups,
    Keys,
    Overlap,
    Question,
    Times,
)

Found = Overlap | Groups | Times | Classes | Keys


class Refused(Record):
    """Why a question cannot be answered, and what to do."""

    what: str
    hint: str = ""


def _answers(question: Question) -> Iterator[Found | Refused | None]:
    """What was found, or None; and why not, or None."""
    try:
        yield _found(question)
        yield None
    except CannotLook as error:
        yield None
        yield Refused(what=error.what, hint=error.hint)


def _found(question: Question) -> Found:
    from audit.tables.splits.classes import classes
    from audit.tables.splits.groups import groups
    from audit.tables.splits.groups_keys import keys
    from audit.tables.splits.overlap import overlap
    from audit.tables.splits.time_splits import times

    parts, column, wish = question.parts, question.split_column, question.wish
    if isinstance(wish, AskOverlap):
        return overlap(parts, column, wish)
    if isinstance(wish, AskGroups):
        return groups(parts, column, wish)
    if isinstance(wish, AskTimes):
        return times(parts, column, wish)
    if isinstance(wish, AskClasses):
        return classes(parts, column, wish)
    return keys(parts, column, wish)


if __name__ == "__main__":
    answer(Question, _answers)
