"""Draws clips, which may be built to crash or to flood a decoder."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.portraits import ClipPortrait


class Question(Paths):
    """Clips; and what they are decoded with, for the same clip may look otherwise with another."""

    libraries: tuple[str, ...] = ()


def _prepared(_asked: Question) -> Callable[[io.FileIO], ClipPortrait]:
    from audit.signals.audio.portrait import portrait

    return portrait


if __name__ == "__main__":
    answer_each(Question, _prepared)
