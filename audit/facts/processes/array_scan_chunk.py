"""Looks at all values in chunks of Zarr."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.array_values import ArrayValues


class Question(Paths):
    """Chunks, the metadata of an array of one of them, in JSON of that version of Zarr, and how far each is taken."""

    meta: str = ""
    version: int = 3
    sides: tuple[int, ...] = ()
    moments: bool = False


def _prepared(asked: Question) -> Callable[[io.FileIO], ArrayValues]:
    from audit.signals.arrays.scan_chunk import chunk_values
    from audit.signals.arrays.scan_plan import Ask

    ask = Ask(moments=asked.moments)
    return lambda file: chunk_values(file, asked.meta, asked.version, asked.sides, ask)


if __name__ == "__main__":
    answer_each(Question, _prepared)
