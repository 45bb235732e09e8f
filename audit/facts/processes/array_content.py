"""Unpacks files of arrays whole, which may be built to crash or to flood what unpacks them."""

from __future__ import annotations

import io
from collections.abc import Callable

from audit.facts.processes.each import Paths, answer_each
from audit.records.array_content import Contents


def _prepared(_: Paths) -> Callable[[io.FileIO], Contents]:
    from audit.signals.arrays.contents import content

    return content


if __name__ == "__main__":
    answer_each(Paths, _prepared)
