"""Reads a table for `table.schema`: its shape, or what of it breaks which expectation."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from audit.facts.processes.ask import answer
from audit.records.shape import Breach, Expected, Shape
from audit.records.table import Source


class Question(msgspec.Struct, frozen=True):
    """A table, and what is expected of it; without that, its shape is asked for."""

    source: Source
    expected: Expected | None = None


class Answer(msgspec.Struct, frozen=True):
    """The one that was asked for."""

    shape: Shape | None = None
    breaches: tuple[Breach, ...] = ()


def _answers(question: Question) -> Iterator[Answer]:
    from audit.tables.constraints.shape import shape
    from audit.tables.constraints.table import broken
    from audit.tables.table import Table

    table = Table(question.source)
    if question.expected is None:
        yield Answer(shape=shape(table))
    else:
        yield Answer(breaches=tuple(broken(table, question.expected)))


if __name__ == "__main__":
    answer(Question, _answers)
