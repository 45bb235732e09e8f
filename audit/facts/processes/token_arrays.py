"""Counts the sequences of tokens in files of arrays."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.tokens import Sequences, TokenAsk


class Question(Paths):
    """Files of arrays, and what is asked of their tokens."""

    ask: TokenAsk = TokenAsk()


def _prepared(asked: Question) -> Callable[[io.FileIO], Sequences]:
    from audit.signals.arrays.tokens_file import counted

    return lambda file: counted(file, asked.ask)


if __name__ == "__main__":
    answer_each(Question, _prepared)
