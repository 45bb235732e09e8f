"""Looks at all values of the arrays in files."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.array_values import FileValues


class Question(Paths):
    """Files of arrays; which arrays of them, by name or pattern (none: all), and what to measure beside the range."""

    keys: tuple[str, ...] = ()
    moments: bool = False
    axis: int | None = None
    channels: int = 0
    items: bool = False


def _prepared(asked: Question) -> Callable[[io.FileIO], FileValues]:
    from audit.signals.arrays.scan_file import scanned
    from audit.signals.arrays.scan_plan import Ask

    ask = Ask(moments=asked.moments, axis=asked.axis, channels=asked.channels, items=asked.items)
    return lambda file: scanned(file, asked.keys, ask)


if __name__ == "__main__":
    answer_each(Question, _prepared)
