"""Draws pictures small, which may be built to crash or to flood a decoder."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.portraits import PicturePortrait


class Question(Paths):
    """Pictures, and the most pixels that one may have to be decoded.

    `libraries` are what they are decoded with, for the same picture may look otherwise with another.
    """

    most_pixels: int = 0
    libraries: tuple[str, ...] = ()


def _prepared(asked: Question) -> Callable[[io.FileIO], PicturePortrait]:
    from audit.signals.images.portrait import portrait

    return lambda file: portrait(file, asked.most_pixels)


if __name__ == "__main__":
    answer_each(Question, _prepared)
