"""Finds texts of one split that are nearly those of another."""

from __future__ import annotations

from collections.abc import Iterator

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.facts.processes.table_split import Refused
from audit.records.base import Record
from audit.records.splits import Near, Part


class Texts(Record):
    """The column of texts in the splits, and the share of word sequences that makes two texts alike."""

    parts: tuple[Part, ...]
    column: str
    similarity: float
    split_column: str = ""


def _answers(question: Texts) -> Iterator[Near | Refused | None]:
    """What was found, or None; and why not, or None."""
    from audit.tables.splits.overlap_text import alike

    try:
        yield alike(question.parts, question.split_column, question.column, question.similarity)
        yield None
    except CannotLook as error:
        yield None
        yield Refused(what=error.what, hint=error.hint)


if __name__ == "__main__":
    answer(Texts, _answers)
