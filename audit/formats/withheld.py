"""What a profile may say in a file that is committed: much of how values are spread, nothing of what a row holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from audit.formats.keyed import keyed
from audit.records.profile import FEWEST, Bins, ColumnProfile, Level, TableProfile

_DIGITS = 6
_DIGITS_OF_VALUES = 12


def withheld(profile: TableProfile, salt: str, *, values: bool) -> TableProfile:
    """A profile for a lock: `values` says that values of rows may stand in it.

    In either case no level and no bin of 1 to 19 rows: rarer words are in the tail, and bins
    have been joined. Numbers of which there are fewer than 20 say nothing at all. Without `values`, no extremes, no
    quantiles, no lengths of words, and words only as hashes under the salt. The edges of
    bins are rounded, save for values that fill a bin alone; mean and deviation to 6 digits.
    """
    kept = TableProfile(rows=profile.rows, columns=tuple(_column(one, values=values) for one in profile.columns))
    if values:
        return kept
    hashed = keyed(salt)
    return replace(kept, columns=tuple(_nameless(one, hashed) for one in kept.columns), salt=salt)


def _column(column: ColumnProfile, *, values: bool) -> ColumnProfile:
    few, digits = column.finite < FEWEST, _DIGITS_OF_VALUES if values else _DIGITS
    shown = replace(
        column,
        mean=None if few else _rounded(column.mean, digits),
        deviation=None if few else _rounded(column.deviation, digits),
        bins=None if few or not _enough(column.bins) else column.bins,
        binned=True,
        **_frequent(column),
    )
    if values and not few:
        return shown
    return replace(shown, minimum=None, maximum=None, earliest="", latest="", quantiles=(), lengths=None)


def _enough(bins: Bins | None) -> bool:
    return bins is not None and all(not count or count >= FEWEST for count in bins.counts)


def _frequent(column: ColumnProfile) -> dict[str, object]:
    """Levels of enough rows; the others are in the tail."""
    levels = [level for level in column.levels if level.rows >= FEWEST]
    rows = column.tail_rows + _rows(column.levels) - _rows(levels)
    tail = column.tail_levels + len(column.levels) - len(levels)
    return {"levels": tuple(levels), "tail_levels": tail, "tail_rows": rows}


def _rows(levels: Sequence[Level]) -> int:
    return sum(level.rows for level in levels)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _nameless(column: ColumnProfile, hashed: Callable[[str], str]) -> ColumnProfile:
    levels = [Level(value=hashed(level.value), rows=level.rows) for level in column.levels]
    return replace(column, levels=tuple(_ordered(levels)))


def _ordered(levels: Sequence[Level]) -> list[Level]:
    return sorted(levels, key=lambda level: (-level.rows, level.value))
