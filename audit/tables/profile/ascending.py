"""The finite values of a column in ascending order, however many there are.

What fits into memory is sorted there. What does not is sorted range by range: a first
reading counts values by the leading 16 bits of keys that sort as the values do, and each
run of neighbouring counts that fits is then read and sorted by itself; a count that does
not fit is told apart by its next 16 bits (a radix sort from the most significant digit,
Knuth, The Art of Computer Programming 3, 5.2.5). The order is the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from audit.tables.numeric import Tally
from audit.tables.profile.blocks import BLOCK
from audit.tables.values import Values

if TYPE_CHECKING:
    import numpy as np

    from audit.tables.numeric import Array

_BITS = 16
_SIGN = 1 << 63


class Ascending:
    """The values of a column, sorted.

    `tally` says how many there are and what was left out, `largest` is their greatest distance from zero.
    """

    def __init__(self, values: Values, rows: int, budget: int) -> None:
        self._values, self._limit = values, max(budget // 8, 1)
        self.tally = Tally()
        self.largest = 0.0
        self._held = self._read(rows)

    def pieces(self) -> Iterator[Array]:
        """All finite values in ascending order, in pieces of any size; as often as they are asked for."""
        if self._held is not None:
            yield self._held
        else:
            yield from self._ranges(_Range(0, (1 << 64) - 1, 64))

    def _read(self, rows: int) -> Array | None:
        """Count all; keep and sort the values if they fit."""
        import numpy as np

        room: Array | None = None
        filled = 0
        for batch in self._values.batches():
            values = self.tally.add(batch)
            self.largest = max(
                self.largest, *(abs(float(one)) for one in (values.min(initial=0), values.max(initial=0)))
            )
            if self.tally.finite > self._limit:
                room = None
                continue
            if room is None and not filled:
                room = np.empty(min(rows, self._limit), values.dtype)
            if room is not None:
                room[filled : filled + len(values)] = values
                filled += len(values)
        if self.tally.finite > self._limit:
            return None
        held = np.empty(0) if room is None else room[:filled]
        held.sort()
        return held

    def _ranges(self, whole: _Range) -> Iterator[Array]:
        first, last, held = 0, 0, 0
        for digit, count in self._counts(whole):
            if held and held + count > self._limit:
                yield self._sorted(whole.part(first, last), held)
                held = 0
            if count > self._limit:
                yield from self._large(whole.part(digit, digit), count, whole.bits - _BITS)
            else:
                first, last, held = (first if held else digit), digit, held + count
        if held:
            yield self._sorted(whole.part(first, last), held)

    def _large(self, part: _Range, count: int, bits: int) -> Iterator[Array]:
        """More equal leading bits than fit: apart by the next ones, or all one value."""
        import numpy as np

        if bits:
            yield from self._ranges(part._replace(bits=bits))
            return
        one = next(values[:1] for values, _ in self._in(part) if len(values))
        for start in range(0, count, BLOCK):
            yield np.repeat(one, min(BLOCK, count - start))

    def _counts(self, whole: _Range) -> Iterator[tuple[int, int]]:
        """The leading digits that there are, ascending, and how many values have each."""
        import numpy as np

        counts = np.zeros(1 << _BITS, np.int64)
        for _, found in self._in(whole):
            digits = (found >> np.uint64(whole.bits - _BITS)) & np.uint64((1 << _BITS) - 1)
            counts += np.bincount(digits.astype(np.int64), minlength=1 << _BITS)
        found = np.flatnonzero(counts)
        return zip(found.tolist(), counts[found].tolist(), strict=True)

    def _sorted(self, part: _Range, count: int) -> Array:
        import numpy as np

        held = np.concatenate([values for values, _ in self._in(part)])
        if len(held) != count:
            raise RuntimeError("a file changed while it was read")
        held.sort()
        return held

    def _in(self, part: _Range) -> Iterator[tuple[Array, Array]]:
        """Values whose keys lie in a range, and the keys, batch by batch."""
        import numpy as np

        for batch in self._values.batches():
            values = Tally().add(batch)
            found = keys(values)
            inside = (found >= np.uint64(part.first)) & (found <= np.uint64(part.last))
            yield values[inside], found[inside]


class _Range(NamedTuple):
    """Keys from `first` to `last`, both included, that are equal but for their lower `bits`."""

    first: int
    last: int
    bits: int

    def part(self, first: int, last: int) -> _Range:
        """From one of its next digits to another, both included."""
        shift = self.bits - _BITS
        return _Range(self.first + (first << shift), self.first + ((last + 1) << shift) - 1, self.bits)


def keys(values: Array) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """uint64 that sort as the values do, equal ones for equal values: int64, uint64, or float64 without NaN.

    For floats: all bits flipped where the sign is set, else the sign bit alone (Terdiman 2000,
    Radix sort revisited; Herf 2001, Radix tricks).
    """
    import numpy as np

    sign = np.uint64(_SIGN)
    bits = values.view(np.uint64)
    if values.dtype.kind == "u":
        return bits
    if values.dtype.kind == "i":
        return bits ^ sign
    return np.where(bits & sign, ~bits, bits | sign)
