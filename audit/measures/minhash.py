"""Texts that share most of their words' sequences: shingles, MinHash, and bands of it that find candidates.

Broder 1997, "On the resemblance and containment of documents"; bands as in Leskovec, Rajaraman and Ullman,
"Mining of Massive Datasets", section 3.4.
"""

from __future__ import annotations

import re
import zlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = 5
"""Words of a shingle. A text of fewer words says too little to be called alike."""

BANDS, ROWS = 25, 5
"""Texts of a similarity s share a band with the probability 1 - (1 - s^5)^25: 0.9999 at 0.8, 0.55 at 0.5."""

SEED = 19_970_611
_PRIME = 0x9E3779B97F4A7C15
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text, whatever their case, and whatever is between them."""
    return _WORD.findall(text.casefold())


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """All sequences of five words; none for a text that has fewer words."""
    said = words(text)
    return frozenset(tuple(said[start : start + WORDS]) for start in range(len(said) - WORDS + 1))


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The share of shingles of both that both have, |A and B| / |A or B|; 0 for none."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def bands(text: str) -> NDArray[np.uint64] | None:
    """The text's 25 band keys: the MinHash of its shingles, five values to a key; None for fewer than five words."""
    import numpy as np

    said = words(text)
    if len(said) < WORDS:
        return None
    codes = np.fromiter((zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in said), np.uint64, len(said))
    factors, steps = _permutations()
    count = len(codes) - WORDS + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place in range(WORDS):
        mixed = (mixed ^ codes[place : place + count]) * np.uint64(_PRIME)
        mixed ^= mixed >> np.uint64(29)
    least = _least(np.unique(mixed), factors, steps).reshape(BANDS, ROWS)
    key = np.zeros(BANDS, dtype=np.uint64)
    for row in range(ROWS):
        key = (key ^ least[:, row]) * np.uint64(_PRIME)
        key ^= key >> np.uint64(31)
    return key


_BLOCK = 4096


def _least(codes: NDArray[np.uint64], factors: NDArray[np.uint64], steps: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The least value of each permutation; long texts block by block."""
    import numpy as np

    blocks = [codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK)]
    found = [((block[:, None] * factors + steps) >> np.uint64(32)).min(axis=0) for block in blocks]
    least: NDArray[np.uint64] = np.minimum.reduce(found)
    return least


@cache
def _permutations() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Odd factors and steps of 125 multiply-add-shift hashes modulo 2^64 (Dietzfelbinger 1996)."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(SEED))
    factors = rng.integers(0, 1 << 63, BANDS * ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return factors, rng.integers(0, 1 << 63, BANDS * ROWS, dtype=np.uint64)
