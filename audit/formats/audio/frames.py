"""Sound in frames that each say how long they are: MPEG audio and ADTS, walked from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from audit.formats.pieces import Pieces
from audit.records.signals import Fault, Length

HEAD = 7
"""Bytes at the beginning of a frame that tell its size."""

BLOCK = 1 << 16
"""Bytes that are read at once, and searched for a frame."""

_MOST = 16 << 20
"""Bytes that are walked through; what is longer is taken to go on as it began."""

_SURE = 3
"""So many frames one behind the other are no accident."""

_GAPS = 16
"""So often a frame is searched for that is not where it should be."""


class Frame(NamedTuple):
    """A frame: its bytes, its samples of each channel, and what all frames of the sound have in common."""

    size: int
    samples: int
    kind: Hashable


Step = Callable[[bytes], Frame | None]
"""The frame that begins with these 7 bytes, or fewer at the end of a file; None if none does."""


class Run(NamedTuple):
    """What frames there are: all their samples, how that is known, and what is wrong."""

    samples: int
    length: Length
    faults: tuple[Fault, ...]


def first(pieces: Pieces, end: int, step: Step) -> int | None:
    """Where the first frame begins: at once, or behind what is no sound; None if there is none nearby."""
    return 0 if _sure(pieces, 0, end, step, 2) else search(pieces, 1, end, step)


def search(pieces: Pieces, at: int, end: int, step: Step) -> int | None:
    """The next place, not far off, at which frame follows frame."""
    block = pieces.some(at, max(0, min(BLOCK, end - at)))
    place = -1
    while (place := block.find(0xFF, place + 1)) >= 0:
        if step(block[place : place + HEAD]) and _sure(pieces, at + place, end, step, _SURE):
            return at + place
    return None


def _sure(pieces: Pieces, at: int, end: int, step: Step, count: int) -> bool:
    """So many frames of one kind follow each other from there, or fewer and they fill the file."""
    kinds = set()
    for _ in range(count):
        frame = step(pieces.some(at, HEAD))
        if frame is None:
            return False
        kinds.add(frame.kind)
        at += frame.size
        if at == end:
            break
    return len(kinds) == 1


def walk(pieces: Pieces, at: int, end: int, step: Step) -> Run:
    """All frames from `at` to `end`, or the first of them."""
    begun, samples, strange, gaps = at, 0, 0, 0
    limit = min(end, at + _MOST)
    while at < limit:
        frame = step(pieces.some(at, HEAD, BLOCK))
        if frame:
            samples += frame.samples
            at += frame.size
            continue
        further = search(pieces, at + 1, end, step) if gaps < _GAPS else None
        gaps += 1
        if further is None:
            strange += end - at if pieces.some(at, BLOCK)[: end - at].strip(b"\0") and end - at > BLOCK else 0
            return Run(samples, Length.EXACT, _faults(0, strange))
        strange, at = strange + further - at, further
    if limit < end and at < end:
        return Run(round(samples * (end - begun) / (at - begun)), Length.ESTIMATED, _faults(0, strange))
    return Run(samples, Length.EXACT, _faults(at - end, strange))


def _faults(lost: int, strange: int) -> tuple[Fault, ...]:
    cut = Fault(kind="truncated", what=f"is cut: {lost} bytes of its last frame are missing")
    among = Fault(kind="damaged", what=f"holds {strange:,} bytes among its frames that are no sound")
    return (*((cut,) if lost > 0 else ()), *((among,) if strange else ()))
