"""Measures two tables against each other, column by column."""

from __future__ import annotations

from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.drift import Measured, PairQuestion


def _answers(question: PairQuestion) -> Iterator[Measured]:
    from audit.tables.pair.pair import measured

    yield measured(question)


if __name__ == "__main__":
    answer(PairQuestion, _answers)
