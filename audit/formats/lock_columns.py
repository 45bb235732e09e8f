"""A column of a profile as it stands in `audit.lock`: see `audit.formats.lock_profiles`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

import msgspec

from audit.formats.instants import iso
from audit.records.base import Record
from audit.records.profile import PROBABILITIES, Bins, ColumnProfile, Lengths, Level
from audit.records.table import Column, ColumnType

HASH = r"^[0-9a-f]{32}$(?!\n)"
_MOST_NUMBERS = 1_000
_WHOLE = 1e15
_INTEGER = re.compile(r"-?[0-9]{1,40}")
_FLOAT = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,3})?")

Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Text = Annotated[str, msgspec.Meta(max_length=20_000)]
_IN_LEVELS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL, ColumnType.BOOLEAN})


class ContradictionError(ValueError):
    """A column says what cannot be."""


class LockedColumn(Record, forbid_unknown_fields=False, omit_defaults=True):
    """What stands there; numbers in a row are text with a space between."""

    type: ColumnType
    physical: str
    missing: Count
    zone: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    unit: Annotated[str, msgspec.Meta(max_length=20)] | None = None
    text: bool = False
    nan: Count = 0
    infinite: Count = 0
    negative_infinite: Count = 0
    distinct: Count | None = None
    mean: float | None = None
    deviation: Annotated[float, msgspec.Meta(ge=0)] | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    quantiles: _Text = ""
    edges: _Text = ""
    counts: _Text = ""
    levels: Annotated[
        dict[Annotated[str, msgspec.Meta(max_length=200)], Count], msgspec.Meta(max_length=_MOST_NUMBERS)
    ] = {}
    tail_levels: Count = 0
    tail_rows: Count = 0
    shortest: Count | None = None
    longest: Count | None = None
    mean_length: float | None = None


def written(one: ColumnProfile) -> LockedColumn:
    """A column for the lock."""
    column, lengths, bins = one.column, one.lengths, one.bins
    return LockedColumn(
        type=column.type,
        physical=column.physical,
        zone=column.zone,
        unit=column.unit,
        text=column.text,
        missing=one.missing,
        nan=one.nan,
        infinite=one.infinite,
        negative_infinite=one.negative_infinite,
        distinct=one.distinct,
        mean=one.mean,
        deviation=one.deviation,
        minimum=one.minimum,
        maximum=one.maximum,
        quantiles=_joined(one.quantiles),
        edges=_joined(map(_short, bins.edges)) if bins else "",
        counts=_joined(bins.counts) if bins else "",
        levels={level.value: level.rows for level in one.levels},
        tail_levels=one.tail_levels,
        tail_rows=one.tail_rows,
        shortest=lengths.shortest if lengths else None,
        longest=lengths.longest if lengths else None,
        mean_length=lengths.mean if lengths else None,
    )


def _short(edge: float) -> float:
    """Whole numbers without `.0`."""
    return int(edge) if edge.is_integer() and abs(edge) < _WHOLE else edge


def _joined(numbers: Iterable[float]) -> str:
    return " ".join(map(repr, numbers))


def column_profile(name: str, said: LockedColumn, rows: int, *, hashed: bool) -> ColumnProfile:
    """The profile of the column `name` of a table of so many rows. Raises `ContradictionError`."""
    one = _profile(name, said, rows)
    for wrong in _wrong(one):
        raise ContradictionError(wrong)
    if hashed and not all(re.match(HASH, level.value) for level in one.levels):
        raise ContradictionError("a level is no keyed hash")
    return one


def _profile(name: str, said: LockedColumn, rows: int) -> ColumnProfile:
    column = Column(name=name, type=said.type, physical=said.physical, zone=said.zone, unit=said.unit, text=said.text)
    return ColumnProfile(
        column=column,
        rows=rows,
        missing=said.missing,
        nan=said.nan,
        infinite=said.infinite,
        negative_infinite=said.negative_infinite,
        distinct=said.distinct,
        mean=said.mean,
        deviation=said.deviation,
        minimum=said.minimum,
        maximum=said.maximum,
        earliest=_instant(column, said.minimum),
        latest=_instant(column, said.maximum),
        quantiles=tuple(_numbers(said.quantiles)),
        bins=_bins(said),
        levels=_levels(said.levels),
        tail_levels=said.tail_levels,
        tail_rows=said.tail_rows,
        lengths=_lengths(said),
        binned=True,
    )


def _instant(column: Column, ticks: float | None) -> str:
    return iso(column, ticks) if ticks is not None and math.isfinite(ticks) else ""


def _bins(said: LockedColumn) -> Bins | None:
    if not said.counts:
        return None
    edges = tuple(float(one) for one in _numbers(said.edges))
    counts = tuple(one for one in _numbers(said.counts) if isinstance(one, int) and one >= 0)
    if len(counts) != len(edges) + 1:
        raise ContradictionError("its counts are not one more than its edges")
    return Bins(edges=edges, counts=counts)


def _numbers(text: str) -> Iterator[int | float]:
    words = text.split(" ") if text else []
    for word in words[:_MOST_NUMBERS]:
        if _INTEGER.fullmatch(word):
            yield int(word)
        elif _FLOAT.fullmatch(word) and math.isfinite(float(word)):
            yield float(word)
        else:
            raise ContradictionError(f"{word[:40]!r} is no number")


def _levels(said: Mapping[str, int]) -> tuple[Level, ...]:
    pairs = sorted(said.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Level(value=value, rows=rows) for value, rows in pairs)


def _lengths(said: LockedColumn) -> Lengths | None:
    if said.shortest is None or said.longest is None or said.mean_length is None:
        return None
    return Lengths(shortest=said.shortest, longest=said.longest, mean=said.mean_length)


def _wrong(one: ColumnProfile) -> Iterator[str]:
    """In what a column contradicts itself."""
    present, in_levels = one.rows - one.missing, sum(level.rows for level in one.levels) + one.tail_rows
    figures = (one.mean, one.deviation, one.minimum, one.maximum, one.lengths.mean if one.lengths else None)
    if one.finite < 0 or one.negative_infinite > one.infinite or (one.distinct or 0) > present:
        yield "its counts are more than its rows"
    if one.bins and (sum(one.bins.counts) != one.finite or not _ascend(one.bins.edges)):
        yield "its bins do not ascend, or do not hold its rows"
    if in_levels != present and (in_levels or one.column.type in _IN_LEVELS):
        yield "its levels do not hold its rows"
    if one.quantiles and (len(one.quantiles) != len(PROBABILITIES) or sorted(one.quantiles) != list(one.quantiles)):
        yield "its quantiles do not ascend, or are not as many as there should be"
    if not all(math.isfinite(figure) for figure in figures if figure is not None):
        yield "a figure is not finite"


def _ascend(edges: Sequence[float]) -> bool:
    return all(low < high for low, high in pairwise(edges))
