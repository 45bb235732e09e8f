"""Trains classifiers to tell two tables apart, in a process that can be killed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

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


def _answers(question: Question) -> Iterator[Shift]:
    os.environ["OMP_NUM_THREADS"] = "1"  # read when scikit-learn is imported
    from audit.tables.learned.features import Wanted
    from audit.tables.learned.shift import Options, shift
    from audit.tables.table import Table

    tables = Table(question.reference), Table(question.current)
    wanted = Wanted(question.columns, question.ignore, question.groups, question.rows)
    options = Options(question.false_alarms, question.tolerance, question.shap)
    yield shift(tables, wanted, options)


if __name__ == "__main__":
    answer(Question, _answers)
