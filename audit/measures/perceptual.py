"""Pictures that look alike: perceptual hashes, and which of many are near each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIDE = 32
"""Pixels of a side of the grey picture that is hashed."""

THUMB = 16
"""Pixels of a side of the thumbnail that confirms."""

_FLAT = 5.0
_LIKE = 0.97
_COMPARED = 500
_BITS = 64


class Looks(NamedTuple):
    """Pictures as arrays: their hashes (n, uint64), and their thumbnails (n x 256) of zero mean and unit length."""

    hashes: NDArray[np.uint64]
    thumbs: NDArray[np.float32]


def phash(grey: NDArray[np.float64]) -> int:
    """The 64-bit perceptual hash of a 32 x 32 grey picture.

    Signs of the 8 x 8 lowest frequencies of its cosine transform (DCT-II) against their median, the
    constant row and column left out (Zauner 2010, "Implementation and benchmarking of perceptual image
    hash functions", section 3.2.1).
    """
    import numpy as np

    waves = _waves()
    low = (waves @ grey @ waves.T)[1:9, 1:9].ravel()
    bits = low > np.median(low)
    return int(sum(1 << place for place, bit in enumerate(bits.tolist()) if bit))


def flat(grey: NDArray[np.float64]) -> bool:
    """Whether a picture has so little in it that others look like it by nature: a standard deviation below 5 of 255."""
    return float(grey.std()) < _FLAT


def unit(thumbs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Thumbnails (n x 256) of zero mean and unit length, so that a product of two is their correlation."""
    import numpy as np

    centred = thumbs - thumbs.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    made: NDArray[np.float32] = (centred / np.where(length > 0, length, 1)).astype(np.float32)
    return made


def twins(these: Looks, those: Looks, distance: int) -> Iterator[tuple[int, int, int]]:
    """For each of `these` that has one, its nearest twin among `those`: both places, and the Hamming distance.

    Hashes at most `distance` bits apart agree wholly in one of `distance + 1` bands of bits, so only those
    that share a band are compared (Manku, Jain, Das Sarma 2007, "Detecting near-duplicates for web
    crawling"). A twin is confirmed by the correlation of the thumbnails, 0.97 or more, for the 500 nearest.
    """
    import numpy as np

    bands = [_sorted(those.hashes, low, high) for low, high in _bands(distance)]
    for place, hashed in enumerate(these.hashes):
        near = np.unique(np.concatenate([_bucket(band, hashed) for band in bands]))
        apart = np.bitwise_count(those.hashes[near] ^ hashed)
        close = near[np.argsort(apart, kind="stable")[: min(_COMPARED, int((apart <= distance).sum()))]]
        alike = close[those.thumbs[close] @ these.thumbs[place] >= _LIKE]
        if len(alike):
            apart = np.bitwise_count(those.hashes[alike] ^ hashed)
            best = int(apart.argmin())
            yield place, int(alike[best]), int(apart[best])


class _Band(NamedTuple):
    """Hashes by some of their bits: the bits in order, and the places of the hashes."""

    mask: np.uint64
    keys: NDArray[np.uint64]
    places: NDArray[np.int64]


def _bands(distance: int) -> Iterator[tuple[int, int]]:
    edges = [_BITS * number // (distance + 1) for number in range(distance + 2)]
    yield from pairwise(edges)


def _sorted(hashes: NDArray[np.uint64], low: int, high: int) -> _Band:
    import numpy as np

    mask = np.uint64(((1 << (high - low)) - 1) << low)
    keys = hashes & mask
    places = np.argsort(keys, kind="stable")
    return _Band(mask, keys[places], places)


def _bucket(band: _Band, hashed: np.uint64) -> NDArray[np.int64]:
    key = hashed & band.mask
    return band.places[band.keys.searchsorted(key, "left") : band.keys.searchsorted(key, "right")]


@cache
def _waves() -> NDArray[np.float64]:
    """The cosines of a DCT-II of 32 points, one frequency a row."""
    import numpy as np

    points = np.arange(SIDE)
    return np.cos(np.pi / SIDE * np.outer(points, points + 0.5))
