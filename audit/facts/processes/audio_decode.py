"""Decodes clips whole and measures them, which may be built to crash or to flood a decoder."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from audit.facts.processes.each import Paths, answer_each
from audit.records.audio_decoded import DecodedAudio

if TYPE_CHECKING:
    from audit.signals.audio.decode import Taken


class Question(Paths):
    """Clips."""


def _prepared(_asked: Question) -> Callable[[io.FileIO], Taken]:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads take longer to start than so small products
    from audit.signals.audio.decode import decode

    return decode


def _finished(taken: list[Taken]) -> list[DecodedAudio]:
    from audit.signals.audio.decode import measured

    return measured(taken)


if __name__ == "__main__":
    answer_each(Question, _prepared, _finished)
