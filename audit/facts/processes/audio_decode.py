"""Decodes clips whole and measures them, which may be built to crash or to flood a decoder."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.audio_decoded import DecodedAudio


class Question(Paths):
    """Clips."""


def _prepared(_asked: Question) -> Callable[[io.FileIO], DecodedAudio]:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads take longer to start than so small products
    from audit.signals.audio.decode import decode

    return decode


if __name__ == "__main__":
    answer_each(Question, _prepared)
