"""Sums over blocks of fixed size: what comes out hangs on the values and their order alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from audit.tables.numeric import Array

BLOCK = 65_536
"""Values in a block."""


def blocks(pieces: Iterable[Array]) -> Iterator[Array]:
    """The values of the pieces, one after another, in arrays of `BLOCK` values; the last may be shorter."""
    import numpy as np

    kept: list[Array] = []
    waiting = 0
    for piece in pieces:
        start = 0
        while waiting + len(piece) - start >= BLOCK:
            stop = start + BLOCK - waiting
            yield np.concatenate([*kept, piece[start:stop]]) if kept else piece[start:stop]
            kept, waiting, start = [], 0, stop
        if start < len(piece):
            kept.append(piece[start:])
            waiting += len(piece) - start
    if kept:
        yield np.concatenate(kept) if len(kept) > 1 else kept[0]


class Moments(NamedTuple):
    """How many values, their mean, and the sum of their squared distances from it."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def merged(self, other: Moments) -> Moments:
        """Those of both together.

        Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance,
        The American Statistician 37(3), equations 2.1.
        """
        if not self.n or not other.n:
            return self if self.n else other
        n = self.n + other.n
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.n / n)
        between = apart * apart * (self.n * (other.n / n))
        return Moments(n, mean, self.squares + other.squares + between)

    @property
    def deviation(self) -> float | None:
        """The sample's standard deviation (divided by n - 1); None for fewer than two values."""
        return math.sqrt(self.squares / (self.n - 1)) if self.n > 1 else None


def of_block(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Moments:
    """The moments of one block, in two passes; numpy sums pairwise."""
    import numpy as np

    mean = float(np.sum(values)) / len(values)
    apart = values - mean
    return Moments(len(values), mean, float(np.sum(apart * apart)))
