"""Decodes pictures whole, which may be built to crash or to flood a decoder; and measures them while it has them."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.decoded import Decoded


class Question(Paths):
    """Pictures, the most pixels that one may have to be decoded, and whether what is decoded is measured."""

    most_pixels: int = 0
    measured: bool = False


def _prepared(asked: Question) -> Callable[[io.FileIO], Decoded]:
    from audit.signals.images.decode import decode
    from audit.signals.images.pillow import strict

    strict()
    if not asked.measured:
        return lambda file: decode(file, asked.most_pixels)
    from audit.signals.images.content import measure

    return lambda file: decode(file, asked.most_pixels, measure)


if __name__ == "__main__":
    answer_each(Question, _prepared)
