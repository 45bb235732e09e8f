"""Trains classifiers to tell two tables apart, in a process that can be killed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.records.shift import Shift
from audit.records.table import Source


class Question(msgspec.Struct, frozen=True):
    """The two tables, and what the rule says of how to look at them."""

    reference: Source
    current: Source
    columns: tuple[str, ...]
    ignore: tuple[str, ...]
    groups: str
    rows: int
    false_alarms: float
    tolerance: float
    shap: bool


class Answer(msgspec.Struct, frozen=True):
    """What was found, or why nothing could be."""

    shift: Shift | None = None
    error: str = ""


def _answers(question: Question) -> Iterator[Answer]:
    os.environ["OMP_NUM_THREADS"] = "1"  # read when scikit-learn is imported
    from audit.tables.features import Wanted
    from audit.tables.shift import Options, shift
    from audit.tables.table import Table

    tables = Table(question.reference), Table(question.current)
    wanted = Wanted(question.columns, question.ignore, question.groups, question.rows)
    options = Options(question.false_alarms, question.tolerance, question.shap)
    try:
        yield Answer(shift(tables, wanted, options))
    except CannotLook as error:
        yield Answer(error=error.what)


if __name__ == "__main__":
    answer(Question, _answers)
