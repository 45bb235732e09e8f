"""Measures how well single features tell a table's label, in a process that can be killed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from audit.facts.processes.ask import answer
from audit.records.table import Source
from audit.records.target import Target


class Question(msgspec.Struct, frozen=True):
    """The tables, and what the rule says of how to look at them."""

    reference: Source
    current: Source | None
    label: str
    task: Literal["auto", "classes", "numbers"]
    columns: tuple[str, ...]
    ignore: tuple[str, ...]
    rows: int


def _answers(question: Question) -> Iterator[Target]:
    from audit.tables.learned.target import Wanted, target
    from audit.tables.table import Table

    wanted = Wanted(question.label, question.task, question.columns, question.ignore, question.rows)
    current = Table(question.current) if question.current else None
    yield target(Table(question.reference), current, wanted)


if __name__ == "__main__":
    answer(Question, _answers)
