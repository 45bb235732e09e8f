"""Cuts the values of an array into pieces that fit the processor's second cache and cross no channel or item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import gcd

BLOCK = 1 << 19
"""Bytes of a piece at most; with the numbers made of it, it stays in the second cache."""

PLAIN = 1 << 20
"""Bytes of a piece of which only the range is wanted: it needs no other memory."""

SPAN = 128
"""Pieces that one worker measures before it takes more: fixed, so that sums do not depend on how many workers are."""

Piece = tuple[int, int]
"""The first value of a piece, counted as they lie in memory, and the one behind its last."""


def spans(count: int, levels: Sequence[int], most: int) -> Iterator[tuple[Piece, ...]]:
    """`count` values in pieces of at most `most`, some at a time.

    `levels` are numbers of values, of which each divides the one before: a piece is a whole number of runs of a
    level, or a part of one run.
    """
    pieces = _cut(0, count, tuple(levels), most)
    while span := tuple(islice(pieces, SPAN)):
        yield span


def _cut(start: int, stop: int, levels: tuple[int, ...], most: int) -> Iterator[Piece]:
    if levels and levels[0] > most:
        for at in range(start, stop, levels[0]):
            yield from _cut(at, min(stop, at + levels[0]), levels[1:], most)
        return
    step = most // levels[0] * levels[0] if levels else most
    for at in range(start, stop, step):
        yield at, min(stop, at + step)


def word(sizes: Sequence[int]) -> int:
    """The largest of 8, 4, 2 and 1 bytes that divides all of the sizes."""
    return gcd(8, *sizes)
