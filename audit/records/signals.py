"""What all signals have in common: what is wrong with a file, and how a length is known."""

from __future__ import annotations

from enum import StrEnum

from audit.records.base import Record
from audit.records.findings import Scalar


class Fault(Record, gc=False):
    """Something wrong with one file, as a violation will tell it.

    `kind` is a fixed short word of the check that tells it (`truncated`, `empty`, `pointer`, ...);
    `what` completes the sentence "it ...".
    """

    kind: str
    what: str
    expected: Scalar = None
    found: Scalar = None


BLIND = frozenset({"unknown", "unsupported"})
"""Kinds of fault that say no more than that nothing here understands the file; all others are something seen."""


class Length(StrEnum):
    """How the length of a clip is known: counted from the data, told by a header, or reckoned from a part."""

    EXACT = "exact"
    DECLARED = "declared"
    ESTIMATED = "estimated"
