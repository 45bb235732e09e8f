"""Profiles a table: reads it column by column, in a process whose memory goes with it."""

from __future__ import annotations

from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.profile import TableProfile
from audit.records.table import Source


def _answers(question: Source) -> Iterator[TableProfile]:
    from audit.tables.profile.profile import profile
    from audit.tables.table import Table

    yield profile(Table(question))


if __name__ == "__main__":
    answer(Source, _answers)
