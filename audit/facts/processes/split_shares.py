"""Says how far apart the class shares of splits are, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.base import Record

SEED = 20_240_229
"""Of the permutations: any number will do, as long as it stays the same."""


class Counted(Record):
    """How often each class is there on two sides, in the same order; neither is empty. `below` is the level."""

    reference: tuple[int, ...]
    current: tuple[int, ...]
    below: float


class Counteds(Record):
    """Several comparisons."""

    each: tuple[Counted, ...]


class Apart(Record):
    """The total variation, its p-value, and the total variation that would be found in 80 % of audits."""

    effect: float
    p: float
    detectable: float


def _answers(question: Counteds) -> Iterator[Apart]:
    import numpy as np

    from audit.measures import shares

    for one in question.each:
        a, b = np.asarray(one.reference, dtype=np.int64), np.asarray(one.current, dtype=np.int64)
        p, _ = shares.p_value(a, b, below=one.below, seed=SEED)
        found = shares.detectable(a + b, int(a.sum()), int(b.sum()), one.below)
        yield Apart(effect=shares.total_variation(a, b), p=p, detectable=found)


if __name__ == "__main__":
    answer(Counteds, _answers)
