"""Finds the group in each path of a list by a regular expression, which can take for ever on some paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.base import Record


class Paths(Record):
    """Paths, and the expression whose first group is searched in each."""

    pattern: str
    paths: tuple[str, ...]


def _answers(question: Paths) -> Iterator[str | None]:
    pattern = re.compile(question.pattern)
    for path in question.paths:
        found = pattern.search(path)
        yield found[1] if found else None


if __name__ == "__main__":
    answer(Paths, _answers)
