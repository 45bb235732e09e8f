"""Samples that stand several times in a row: sound that was brought to a higher rate by repeating them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

_MOST = 12
"""As from 8 to 96 kHz."""

_CHANGES = 64
_VALUES = 4
"""A wave of fewer values is a square wave, which stands still between its edges by nature."""

_PIECE, _PIECES = 1 << 5, 1 << 12
"""Samples that are looked at first, and then at once."""


class Repeats:
    """The greatest common divisor of the distances between changes of one channel."""

    def __init__(self) -> None:
        self._divisor = 0
        self._place = 0
        self._changes = 0
        self._first: int | None = None
        self._last: Any = None
        self._values: set[float] = set()

    def take(self, channel: Samples) -> None:
        """The next samples; of most clips no more than the first piece is looked at."""
        start, size = 0, _PIECE
        while start < len(channel) and self._divisor != 1:
            self._piece(channel[start : start + size])
            start, size = start + size, _PIECES

    def _piece(self, piece: Samples) -> None:
        import numpy as np

        changes = (np.flatnonzero(piece[1:] != piece[:-1]) + 1).tolist()
        if self._last is not None and piece[0] != self._last:
            changes.insert(0, 0)
        if changes:
            self._changes += len(changes)
            self._first = self._place + changes[0] if self._first is None else self._first
            self._divisor = math.gcd(self._divisor, *(self._place + one - self._first for one in changes))
            self._values.update(piece[changes[: 4 * _VALUES]].tolist())
        self._place += len(piece)
        self._last = piece[-1]

    def factor(self) -> int:
        """How many times each sample stands in a row; 1 if only once."""
        known = self._changes >= _CHANGES and len(self._values) >= _VALUES
        return self._divisor if known and 1 < self._divisor <= _MOST else 1
