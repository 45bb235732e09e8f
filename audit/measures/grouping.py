"""Groups that lie in several splits: from how many members of each group each split has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from audit.measures.ids import loosely

Counts = Mapping[str, Mapping[str, int]]
"""The members of each group in each split that has any."""

_ALIKE = 20


class Spread(NamedTuple):
    """How groups lie over splits: those in several, sorted by name, the most splits that one lies in, and members."""

    shared: tuple[str, ...]
    over: int
    rows: int
    total: int


def spread(counts: Counts) -> Spread:
    """Which groups lie in several splits, over how many splits together, and how many members these groups have."""
    shared = sorted(name for name, by_split in counts.items() if len(by_split) > 1)
    over = {split for name in shared for split in counts[name]}
    rows = sum(sum(counts[name].values()) for name in shared)
    return Spread(tuple(shared), len(over), rows, sum(sum(by_split.values()) for by_split in counts.values()))


def alike(counts: Counts) -> tuple[tuple[str, str], ...]:
    """Ids in different splits that only differ in case, leading zeros or punctuation; the first twenty pairs."""
    loose: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(counts):
        loose[loosely(name)].append(name)
    pairs = (
        (first, later)
        for key, names in sorted(loose.items())
        if key and len(names) > 1
        for place, first in enumerate(names[:_ALIKE])
        for later in names[place + 1 : _ALIKE]
        if len(counts[first].keys() | counts[later].keys()) > 1
    )
    return tuple(islice(pairs, _ALIKE))


def ordered(by_split: Mapping[str, int], names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """A group's members in each split, in the order of the splits."""
    return tuple((name, by_split[name]) for name in names if name in by_split)
