"""Reads headers of files of arrays by libraries, which may be built to crash them."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.array import ArrayHeader


def _prepared(_: Paths) -> Callable[[io.FileIO], ArrayHeader]:
    from audit.signals.arrays.headers import headed

    return headed


if __name__ == "__main__":
    answer_each(Paths, _prepared)
