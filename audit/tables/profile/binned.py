"""A column counted over what a profile knows: its edges, or its levels.

Nothing is sorted as a whole and nothing kept, so a column may be larger than memory;
counts are sums over pieces, the same whatever the pieces are. Exact for what they say:
what lies inside of a bin stays unknown, so a distance between distributions that is
computed on bins may be too small by up to the larger share of one bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from audit.formats.keyed import keyed
from audit.formats.words import shown
from audit.records.profile import Bins, ColumnProfile
from audit.tables.budget import budget
from audit.tables.numeric import Tally, below, on_axis
from audit.tables.profile.words import ROWS, counted, outline
from audit.tables.table import Table
from audit.tables.values import VALUE, Streamed


class LevelCounts(NamedTuple):
    """Rows of a column of words: missing ones, those of each level asked for, and the values that are none of these."""

    rows: int
    missing: int
    counts: tuple[int, ...]
    other_levels: int
    other_rows: int


def counts(table: Table, name: str, edges: Sequence[float]) -> ColumnProfile:
    """A column of numbers or times over ascending edges (see `Bins`), with what is missing, NaN and infinite.

    Raises `CannotLook` if there is no such column.
    """
    import numpy as np

    column, at, tally = table.column(name), np.array(edges, np.float64), Tally()
    under = np.zeros(len(at), np.int64)
    for batch in Streamed(table, name).batches():
        under += below(np.sort(on_axis(column, tally.add(batch))), at)
    found = np.diff(under, prepend=0, append=tally.finite)
    return ColumnProfile(
        column=column,
        rows=tally.rows,
        missing=tally.missing,
        nan=tally.nan,
        infinite=tally.infinite,
        negative_infinite=tally.negative_infinite,
        bins=Bins(edges=tuple(edges), counts=tuple(found.tolist())),
        binned=True,
    )


def level_counts(table: Table, name: str, levels: Sequence[str], salt: str = "") -> LevelCounts:
    """A column of words over the levels of a profile (`Level.value`, in any order); `salt` is the profile's.

    Raises `CannotLook` if there is no such column.
    """
    table.column(name)
    values = Streamed(table, name)
    seen, place = outline(values), {level: index for index, level in enumerate(levels)}
    found, others, hashed = [0] * len(levels), 0, keyed(salt) if salt else str
    for frame in counted(values, seen, budget()):
        for value, rows in zip(frame.get_column(VALUE), frame.get_column(ROWS), strict=True):
            index = place.get(hashed(shown(value)))
            if index is None:
                others += 1
            else:
                found[index] += rows
    return LevelCounts(seen.rows, seen.missing, tuple(found), others, seen.rows - seen.missing - sum(found))
