"""Measures two tables against each other."""

from __future__ import annotations

from collections.abc import Iterator

from audit.errors import AuditError
from audit.facts.processes.ask import answer
from audit.records.drift import Measured, PairQuestion


def measured(question: PairQuestion) -> Iterator[Measured]:
    """What is known of the pair, or why nothing can be."""
    from audit.tables.pair import measured as measure

    try:
        yield measure(question)
    except AuditError as error:
        yield Measured(error=f"{error.where}: {error.what}" if error.where else error.what)


if __name__ == "__main__":
    answer(PairQuestion, measured)
