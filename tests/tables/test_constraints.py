"""What breaks the rules of a column, held against Python that looks at one value after the other."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.records.schema import ColumnRule, Direction
from audit.records.shape import Breach
from audit.records.table import Column, ColumnType
from audit.tables.constraints.column import breaches, invalid
from audit.tables.types import column

NUMBERS = st.integers(-5, 5) | st.none()
FLOATS = st.floats(-5, 5, width=16) | st.none() | st.just(math.nan)
WORDS = st.text("ab\n", max_size=3) | st.none()


def _column(series: pl.Series, *, text: bool = False) -> Column:
    found = column("x", series.dtype)
    return found if not text else type(found)(name="x", type=found.type, physical=found.physical, text=True)


def _broken(series: pl.Series, *, text: bool = False, **rule: Any) -> list[Breach]:
    return list(breaches(series, _column(series, text=text), ColumnRule(**rule)))


def _rows(series: pl.Series, **rule: Any) -> tuple[int, tuple[int, ...]]:
    """How many break the one thing that the rule asks for, and which rows are the first."""
    found = _broken(series, **rule)
    assert len(found) <= 1
    assert not any(one.unfit for one in found)
    return (found[0].count, found[0].rows) if found else (0, ())


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _plainly(values: list[Any], bad: Callable[[Any], bool]) -> tuple[int, tuple[int, ...]]:
    rows = [row for row, one in enumerate(values, start=1) if one is not None and not _is_nan(one) and bad(one)]
    return len(rows), tuple(rows[:3])


WIDTHS = st.sampled_from([pl.Int8, pl.Int64, pl.Int128, pl.Float32])
BOUNDS = st.integers(-6, 6) | st.floats(-6, 6, width=16) | st.sampled_from([2**70, -(2**70), 1e300])


@given(st.lists(NUMBERS), BOUNDS, WIDTHS)
def test_bounds_of_any_width(values, bound, width):
    series = pl.Series(values, dtype=width)
    assert _rows(series, min=bound) == _plainly(values, lambda one: one < bound)
    assert _rows(series, max=bound) == _plainly(values, lambda one: one > bound)


@given(st.lists(FLOATS), st.floats(-5, 5))
def test_bounds_of_floats_pass_over_nan(values, bound):
    series = pl.Series(values, dtype=pl.Float64)
    assert _rows(series, min=bound) == _plainly(values, lambda one: one < bound)


@pytest.mark.parametrize("bound", [2**53 + 1, 2**63 - 1, 2**64])
def test_bounds_beyond_what_floats_hold_are_exact(bound):
    series = pl.Series([2**53, 2**63 - 2], dtype=pl.Int64)
    assert _rows(series, min=bound) == _plainly(series.to_list(), lambda one: one < bound)


@given(st.lists(WORDS), st.lists(st.text("ab", max_size=2), min_size=1))
def test_allowed_words(values, allowed):
    expected = _plainly(values, lambda one: one not in allowed)
    assert _rows(pl.Series(values, dtype=pl.String), allowed=tuple(allowed)) == expected
    assert _rows(pl.Series(values, dtype=pl.Categorical), allowed=tuple(allowed)) == expected


@given(st.lists(NUMBERS), st.lists(st.integers(-300, 300) | st.floats(-5, 5, width=16), min_size=1))
def test_allowed_numbers(values, allowed):
    expected = _plainly(values, lambda one: one not in allowed)
    assert _rows(pl.Series(values, dtype=pl.Int8), allowed=tuple(allowed)) == expected
    assert _rows(pl.Series(values, dtype=pl.Float32), allowed=tuple(allowed)) == expected


def test_allowed_booleans_are_no_numbers():
    assert _rows(pl.Series([True, False, None]), allowed=(True,)) == (1, (2,))
    assert _rows(pl.Series([1, 2]), allowed=(True, 1)) == (1, (2,))
    assert [one.unfit for one in _broken(pl.Series([1, 2]), allowed=(True,))] == [
        "none of True can be in a column of type integer"
    ]


@given(st.lists(WORDS), st.sampled_from(["a", "a|b", "a*", "[ab]+", ".", "(a)|b\n", "a$", "^ab"]))
def test_patterns_match_the_whole_value(values, pattern):
    expected = _plainly(values, lambda one: re.fullmatch(pattern.replace("$", r"\Z"), one) is None)
    assert _rows(pl.Series(values, dtype=pl.String), pattern=pattern) == expected


@pytest.mark.parametrize("pattern", ["(", "a)|(?:b", "(?=a)", r"(a)\1", "(a{1000}){1000}", "[z-a]"])
def test_patterns_that_cannot_be_read(pattern):
    assert invalid(pattern)
    ((one),) = _broken(pl.Series(["a"]), pattern=pattern)
    assert one.blind


def test_a_pattern_takes_linear_time():
    series = pl.Series(["a" * 100_000 + "b"])
    assert _rows(series, pattern="(a*)*c") == (1, (1,))


@given(st.lists(NUMBERS | st.just(None)), st.sampled_from([pl.Int8, pl.Float64, pl.String, pl.Categorical]))
def test_unique_values(values, dtype):
    words = [None if one is None else str(one) for one in values] if dtype in {pl.String, pl.Categorical} else values
    seen: set[Any] = set()
    expected = _plainly(values, lambda one: one in seen or bool(seen.add(one)))
    assert _rows(pl.Series(words, dtype=dtype), unique=True) == expected


ORDERS: dict[Direction, Callable[[Any, Any], bool]] = {
    Direction.INCREASING: lambda above, here: here >= above,
    Direction.STRICTLY_INCREASING: lambda above, here: here > above,
    Direction.DECREASING: lambda above, here: here <= above,
    Direction.STRICTLY_DECREASING: lambda above, here: here < above,
}


@given(st.lists(NUMBERS), st.sampled_from(Direction))
def test_monotonic_values(values, direction):
    there = [(row, one) for row, one in enumerate(values, start=1) if one is not None]
    steps = pairwise(there)
    rows = [row for (_, above), (row, here) in steps if not ORDERS[direction](above, here)]
    found = _rows(pl.Series(values, dtype=pl.Int64), monotonic=direction)
    assert found == (len(rows), tuple(rows[:3]))


@given(st.lists(WORDS), st.integers(0, 4))
def test_lengths(values, bound):
    series = pl.Series(values, dtype=pl.String)
    assert _rows(series, min_length=bound) == _plainly(values, lambda one: len(one) < bound)
    assert _rows(series, max_length=bound) == _plainly(values, lambda one: len(one) > bound)


def test_lengths_of_lists_and_bytes():
    assert _rows(pl.Series([[1], [1, 2], None, []]), min_length=1) == (1, (4,))
    assert _rows(pl.Series([b"a", b"abc"]), max_length=2) == (1, (2,))
    assert _rows(pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)), max_length=1) == (1, (1,))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_bounds_of_times(unit):
    naive = pl.Series([datetime(2024, 1, 1), datetime(2024, 1, 2), None]).dt.cast_time_unit(unit)  # noqa: DTZ001
    assert _rows(naive, min="2024-01-02") == (1, (1,))
    assert _rows(naive, max="2024-01-01T12:00:00") == (1, (2,))
    assert _rows(naive, max="9999-12-31") == (0, ())
    aware = naive.dt.replace_time_zone("Europe/Berlin")
    assert _rows(aware, min="2023-12-31T23:00:00Z") == (0, ())
    assert _rows(aware, min="2024-01-01T00:00:00Z") == (1, (1,))


def test_bounds_of_dates_durations_and_times_of_day():
    assert _rows(pl.Series([date(2024, 1, 1), date(1, 1, 1)]), min="1970-01-01") == (1, (2,))
    assert _rows(pl.Series([timedelta(seconds=1), timedelta(seconds=3)]), max=1.5) == (1, (2,))
    assert _rows(pl.Series([time(1), time(3)]), max="02:00") == (1, (2,))
    assert _rows(pl.Series([Decimal("1.10"), Decimal("2.5")]), max=1.2) == (1, (2,))
    assert _rows(pl.Series(["a", "c"]), max="b") == (1, (2,))


UNFIT = {
    "a zone is missing": (pl.Series([datetime(2024, 1, 1, tzinfo=UTC)]), {"min": "2024-01-01"}, "with"),
    "a zone too many": (pl.Series([datetime(2024, 1, 1)]), {"min": "2024-01-01T00:00:00Z"}, "without"),  # noqa: DTZ001
    "a number for words": (pl.Series(["a"]), {"min": 1}, "string"),
    "words for a number": (pl.Series([1]), {"max": "1"}, "integer"),
    "no date": (pl.Series([date(2024, 1, 1)]), {"max": "yesterday"}, "date"),
    "a boolean": (pl.Series([True]), {"max": 1}, "boolean"),
    "a list": (pl.Series([[1]]), {"max": 1}, "list"),
    "the order of lists": (pl.Series([[1]]), {"monotonic": "increasing"}, "list"),
    "the length of numbers": (pl.Series([1]), {"max_length": 1}, "integer"),
    "a pattern for floats": (pl.Series([1.5]), {"pattern": "1"}, "float"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_rules_that_cannot_be_held_against_a_column_say_so(case):
    series, rule, said = UNFIT[case]
    (one,) = _broken(series, **rule)
    assert said in one.unfit
    assert not one.blind


def test_a_column_without_a_type_breaks_nothing():
    assert _broken(pl.Series([None, None]), min=1, unique=True, pattern="a", allowed=(1,)) == []


def test_lists_and_structs_can_be_unique():
    assert _rows(pl.Series([[1], [1], None, None]), unique=True) == (1, (2,))
    assert _rows(pl.Series([{"a": 1}, {"a": 2}, {"a": 1}]), unique=True) == (1, (3,))


def test_text_is_the_string_that_it_is_declared_to_be():
    series = pl.Series([12, 345])
    (one,) = _broken(series, text=True, type=ColumnType.STRING, max_length=2)
    assert (one.rows, one.values) == ((2,), ("345",))


def test_long_values_are_shortened():
    (one,) = _broken(pl.Series(["x" * 1000]), max_length=1)
    assert len(one.values[0]) < 70


def test_zeros_of_either_sign_are_one_value():
    assert _rows(pl.Series([0.0, -0.0]), unique=True) == (1, (2,))
