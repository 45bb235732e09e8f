"""Brings a table that is text, a stream or far away into one typed Arrow file in the scratch folder."""

from __future__ import annotations

from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.table import Staged, Staging


def _answers(question: Staging) -> Iterator[Staged]:
    from audit.tables.reading.stage import stage

    yield stage(question)


if __name__ == "__main__":
    answer(Staging, _answers)
