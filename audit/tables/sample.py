"""Which rows to look at where all are too many: the same for the same number of rows, on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 20
_WHOLE = (1 << 64) - 1


def positions(rows: int, wanted: int, seed: int) -> NDArray[np.int64]:
    """`wanted` row numbers of `rows` (all, if those are fewer), in an order as if shuffled.

    They are the rows whose numbers have the smallest digests, so that no period in the
    data can meet one in the sample. Blocks keep the memory small at any number of rows.
    """
    import numpy as np

    limit = _limit(rows, wanted)
    found = []
    for start in range(0, rows, _BLOCK):
        some = np.arange(start, min(start + _BLOCK, rows), dtype=np.uint64)
        marks = scrambled(some, seed)
        taken = marks <= np.uint64(limit)
        found.append(np.stack([marks[taken], some[taken]]))
    marks, numbers = np.concatenate(found, axis=1) if found else np.empty((2, 0), np.uint64)
    chosen: NDArray[np.int64] = numbers[np.argsort(marks, kind="stable")][:wanted].astype(np.int64)
    return chosen


def scrambled(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """A digest of each number: 64 bits that look drawn at random, and no two of them equal.

    SplitMix64 (G. Steele, D. Lea, C. Flood 2014, "Fast splittable pseudorandom number
    generators", OOPSLA), whose steps each have an inverse. numpy promises the same
    stream of its generators for no later version (NEP 19), so they decide nothing here.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        z: Any = (numbers + np.uint64(seed + 1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def shuffled(count: int, seed: int) -> NDArray[np.int64]:
    """The numbers below `count` in an order as if shuffled."""
    return positions(count, count, seed)


def _limit(rows: int, wanted: int) -> int:
    """A digest that about `wanted` rows stay below: eight standard deviations more, so that no draw falls short."""
    share = (wanted + 8 * wanted**0.5 + 8) / max(rows, 1)
    return _WHOLE if share >= 1 else int(share * _WHOLE)
