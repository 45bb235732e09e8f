"""Pickles by whatever name: what they hold is not looked at, since only unpickling could; what they name is told.

Source: pickletools of the standard library; from protocol 2 on a pickle begins with its protocol.
"""

from __future__ import annotations

from audit.formats.arrays.opcodes import walk
from audit.formats.arrays.pieces import Pieces
from audit.formats.arrays.trust import coded, strange
from audit.records.array import ArrayHeader
from audit.records.signals import Fault

LONGEST = 1 << 24
"""Bytes of a pickle that are walked."""

WHAT = "is a pickle, which only unpickling could read"


def is_one(head: bytes) -> bool:
    """Whether a file that begins so is a pickle of protocol 2 or later."""
    return len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5  # noqa: PLR2004 - an opcode and its argument


def is_old(pieces: Pieces) -> bool:
    """Whether a file is a pickle of protocol 0 or 1: they begin with nothing of their own, and end with a dot."""
    if pieces.size > LONGEST or pieces.some(pieces.size - 1, 1) != b".":
        return False
    walked = walk(pieces.some(0, pieces.size))
    return walked.end == pieces.size


def pickle(pieces: Pieces) -> ArrayHeader:
    """What a pickle names."""
    walked = walk(pieces.some(0, min(pieces.size, LONGEST)))
    faults = [*coded(walked.globals), Fault(kind="unsafe", what=WHAT)]
    if walked.problem:
        faults.append(Fault(kind="unsupported", what=f"has a pickle that was not walked to its end: {walked.problem}"))
    return ArrayHeader(faults=tuple(faults), unsafe=strange(walked.globals))
