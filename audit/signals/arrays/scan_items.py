"""Items along the first index of an array: those of one value throughout, and those whose bytes occur twice.

Each item has a sum of its words, each multiplied by an odd number of its own place, modulo 2^64 (multilinear hashing,
as in Dietzfelbinger, "Universal hashing and k-wise independent random variables via integer arithmetic", 1996). Only
items whose sums are equal are read again and told apart by BLAKE2b, so that what is told is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from audit.records.array_values import Items
from audit.signals.arrays.scan_cut import BLOCK

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

Fill = Callable[[Any, int], None]
"""Fills a writable buffer with the bytes of the array from an offset on."""

LEAST = 16
"""Values of an item; smaller ones repeat by chance."""

MOST = 1 << 22
"""Items that are compared at most: what is kept of each takes some 50 bytes."""

SHOWN = 5

_ODD = 0x9E3779B97F4A7C15
"""The odd number nearest to 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming", 6.4)."""


class Twins:
    """What is kept of each item: its sum, least and largest value. An item has `length` values of `size` bytes."""

    def __init__(self, length: int, size: int, word: int) -> None:
        self._length, self._size, self._word = length, size, word
        self._pieces: list[tuple[int, Array, Array, Array]] = []

    def take(self, start: int, numbers: Array, raw: Array) -> None:
        """A piece: whole items, or a part of one. `raw` are its bytes as they are stored, or as they are turned."""
        import numpy as np

        length, words = min(self._length, numbers.size), raw.view(f"u{self._word}").astype("u8", copy=False)
        rows, words = numbers.reshape(-1, length), words.reshape(numbers.size // length, -1)
        sums = np.einsum("ij,j->i", words ^ (words >> np.uint64(32)), _odds(BLOCK // self._word)[: words.shape[1]])
        place = start % self._length * self._size // self._word
        sums *= np.uint64((place * _ODD | 1) & (1 << 64) - 1)
        self._pieces.append((start // self._length, sums, rows.min(axis=1), rows.max(axis=1)))

    def join(self, later: Twins) -> None:
        """What another has seen of the items behind these."""
        self._pieces += later._pieces

    def items(self, fill: Fill, count: int) -> Items:
        """What there is to tell of all `count` items; some may be read again."""
        import numpy as np

        sums, low, high = self._whole(count)
        constant = low == high
        constants = np.flatnonzero(constant)
        repeated, pairs = _repeats(_alike(sums, constant), fill, self._length * self._size)
        return Items(
            count=count,
            constant=constants.size,
            constants=tuple(constants[:SHOWN].tolist()),
            repeated=repeated,
            repeats=tuple(pairs),
        )

    def _whole(self, count: int) -> tuple[Array, Array, Array]:
        """The pieces put together: sums are added, and ranges widened."""
        import numpy as np

        sums = np.zeros(count, "u8")
        low, high = np.empty(count, self._pieces[0][2].dtype), np.empty(count, self._pieces[0][3].dtype)
        begun = 0
        for first, some, least, largest in self._pieces:
            part = slice(first, first + some.size)
            sums[part] += some
            low[part] = np.minimum(low[part], least) if first < begun else least
            high[part] = np.maximum(high[part], largest) if first < begun else largest
            begun = first + some.size
        return sums, low, high


@cache
def _odds(count: int) -> Array:
    """So many odd numbers without an order: each place's product with an odd number, its bits mixed."""
    import numpy as np

    mixed = np.arange(1, count + 1, dtype="u8") * np.uint64(_ODD)
    for shift in (30, 27, 31):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed | np.uint64(1)


def _alike(sums: Array, constant: Array) -> Array:
    """The items, in their order, that are not constant and whose sum another such item has."""
    import numpy as np

    some = np.flatnonzero(~constant)
    order = some[np.argsort(sums[some], kind="stable")]
    same = sums[order[1:]] == sums[order[:-1]]
    twin = np.zeros(order.size, bool)
    twin[1:] |= same
    twin[:-1] |= same
    return np.sort(order[twin])


def _repeats(candidates: Array, fill: Fill, size: int) -> tuple[int, list[tuple[int, int]]]:
    """How many items have the bytes of an earlier one; the first of them, and the first that has the same bytes."""
    import numpy as np

    digests = np.empty((candidates.size, 2), "u8")
    for row, item in zip(digests, candidates.tolist(), strict=True):
        row[:] = np.frombuffer(_digest(fill, item * size, size), "u8")
    order = np.lexsort((candidates, digests[:, 0], digests[:, 1]))
    again = (digests[order[1:]] == digests[order[:-1]]).all(axis=1)
    first = np.maximum.accumulate(np.where(np.concatenate(([True], ~again)), np.arange(order.size), 0))
    pairs = sorted(zip(candidates[order[1:]][again], candidates[order[first[1:]]][again], strict=True))[:SHOWN]
    return int(again.sum()), [(int(item), int(earlier)) for item, earlier in pairs]


def _digest(fill: Fill, offset: int, size: int) -> bytes:
    hasher = blake2b(digest_size=16)
    buffer = memoryview(bytearray(min(size, BLOCK)))
    for at in range(0, size, BLOCK):
        part = buffer[: min(BLOCK, size - at)]
        fill(part, offset + at)
        hasher.update(part)
    return hasher.digest()


def comparable(shape: Sequence[int], fortran: bool) -> str:  # noqa: FBT001 - as a Tensor says it
    """Why the items of such an array are not compared; empty if they are."""
    if shape[0] > MOST:
        return f"it has {shape[0]:,} items, more than the {MOST:,} that are compared"
    if fortran and sum(length > 1 for length in shape) > 1:
        return "it is stored in Fortran order, in which the bytes of an item do not lie together"
    return ""
