"""Decodes pictures whole, which may be built to crash or to flood a decoder."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.decoded import Decoded


class Question(Paths):
    """Pictures, and the most pixels that one may have to be decoded."""

    most_pixels: int = 0


def _prepared(asked: Question) -> Callable[[io.FileIO], Decoded]:
    from audit.signals.images.decode import decode
    from audit.signals.images.pillow import strict

    strict()
    return lambda file: decode(file, asked.most_pixels)


if __name__ == "__main__":
    answer_each(Question, _prepared)
