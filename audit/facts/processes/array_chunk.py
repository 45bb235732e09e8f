"""Decodes chunks of Zarr, which may be built to crash or to flood their codecs."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.array_content import Contents


class Question(Paths):
    """Chunks, and the metadata of an array of one of them, in JSON of that version of Zarr."""

    meta: str = ""
    version: int = 3


def _prepared(asked: Question) -> Callable[[io.FileIO], Contents]:
    from audit.signals.arrays.chunks import chunk

    return lambda file: chunk(file, asked.meta, asked.version)


if __name__ == "__main__":
    answer_each(Question, _prepared)
