"""Mean and standard deviation, of all values or of each channel, exact over all of them.

Each piece has its own mean and sum of squared distances from it, in 64-bit floats; pieces are put together in their
order as in Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979),
so that values far from zero cost no digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit.records.array_values import Moments

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]


class Spread:
    """The moments of `channels` channels; as values lie in memory, `inner` of one channel follow each other.

    With an `inner` of 0 all values are one channel.
    """

    def __init__(self, channels: int = 1, inner: int = 0) -> None:
        import numpy as np

        self._channels, self._inner = channels, inner
        self.count = np.zeros(channels)
        self.mean = np.zeros(channels)
        self.squares = np.zeros(channels)

    def take(self, start: int, numbers: Array, _raw: Array) -> None:
        """A piece: whole rounds of all channels, or fewer than a round: whole runs, or a part of one run."""
        import numpy as np

        rows = self._rows(numbers.astype("f8"))
        which = slice(None)
        if rows.shape[1] != self._channels:
            first = start // self._inner % self._channels
            which = slice(first, first + rows.shape[1])
        self._merge(which, *_measured(rows, np))

    def join(self, later: Spread) -> None:
        """What another has seen of the values behind these."""
        self._merge(slice(None), later.count, later.mean, later.squares)

    def moments(self) -> tuple[Moments, ...]:
        """Those of each channel."""
        rows = zip(self.count.tolist(), self.mean.tolist(), self.squares.tolist(), strict=True)
        return tuple(_told(int(count), mean, squares) for count, mean, squares in rows)

    def whole(self) -> Moments:
        """Those of all channels together."""
        together = Spread()
        for one in range(self._channels):
            part = slice(one, one + 1)
            together._merge(slice(None), self.count[part], self.mean[part], self.squares[part])
        return together.moments()[0]

    def _rows(self, values: Array) -> Array:
        """As (rounds, channels, values in a run)."""
        if not self._inner:
            return values.reshape(1, 1, -1)
        if values.size % (self._channels * self._inner) == 0:
            return values.reshape(-1, self._channels, self._inner)
        return values.reshape(1, -1, min(self._inner, values.size))

    def _merge(self, which: slice, count: Array, mean: Array, squares: Array) -> None:
        import numpy as np

        before = self.count[which]
        total = before + count
        some = np.maximum(total, 1)
        with np.errstate(all="ignore"):  # what is beyond 64-bit floats is told as such
            apart = np.where(count > 0, mean - self.mean[which], 0.0)
            self.squares[which] += squares + apart * apart * (before * count / some)
            self.mean[which] += apart * (count / some)
        self.count[which] = total


def _measured(rows: Array, np: Any) -> tuple[Array, Array, Array]:
    """Count, mean and squared distances of the finite values of each channel."""
    sums = rows.sum(axis=(0, 2))
    if np.isfinite(sums).all():
        count = np.full(rows.shape[1], float(rows.shape[0] * rows.shape[2]))
        means = sums / count
        rows -= means[:, None]
    else:
        finite = np.isfinite(rows)
        count = finite.sum(axis=(0, 2)).astype("f8")
        means = np.where(finite, rows, 0.0).sum(axis=(0, 2)) / np.maximum(count, 1)
        rows = np.where(finite, rows - means[:, None], 0.0)
    return count, means, np.einsum("ijk,ijk->j", rows, rows)  # unlike dot, it starts no threads of its own


def _told(count: int, mean: float, squares: float) -> Moments:
    from math import isfinite, sqrt

    if not count or not isfinite(mean) or not isfinite(squares):
        return Moments(count=count)
    return Moments(count=count, mean=mean, sd=sqrt(max(squares, 0.0) / count))
