"""Finds the pictures of one split that look like some of another, from their hashes and thumbnails."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.facts.processes.ask import answer
from audit.facts.processes.near_images import Look
from audit.records.base import Record

if TYPE_CHECKING:
    from audit.measures.perceptual import Looks


class Sides(Record):
    """The pictures of a later split and of an earlier one; how many bits their hashes may differ by."""

    later: tuple[Look, ...]
    earlier: tuple[Look, ...]
    distance: int


class Twins(Record):
    """The places of two pictures that look alike, and by how many bits their hashes differ."""

    later: int
    earlier: int
    distance: int


def _answers(question: Sides) -> Iterator[Twins]:
    from audit.measures.perceptual import twins

    found = twins(_looks(question.later), _looks(question.earlier), question.distance)
    yield from (Twins(later=later, earlier=earlier, distance=distance) for later, earlier, distance in found)


def _looks(pictures: Sequence[Look]) -> Looks:
    import numpy as np

    from audit.measures.perceptual import THUMB, Looks, unit

    hashes = np.asarray([int(one.hash, 16) for one in pictures], dtype=np.uint64)
    raw = np.frombuffer(b"".join(base64.b64decode(one.thumb) for one in pictures), dtype=np.uint8)
    return Looks(hashes, unit(raw.reshape(len(pictures), THUMB * THUMB).astype(np.float32)))


if __name__ == "__main__":
    answer(Sides, _answers)
