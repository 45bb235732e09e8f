"""Columns as numbers for trees."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

from audit.records.table import Column, ColumnType
from audit.tables.learned.encode import codes, names_rows, numbers


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([1, None, 2**62]), [1.0, np.nan, 2.0**62]),
        (pl.Series([True, None, False]), [1.0, np.nan, 0.0]),
        (pl.Series([float("inf"), float("-inf"), float("nan")]), [1e300, -1e300, np.nan]),
        (pl.Series([date(1970, 1, 2), None]), [86_400.0, np.nan]),
        (pl.Series([datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)]).dt.convert_time_zone("Asia/Tokyo"), [1.0]),
        (pl.Series([datetime(1970, 1, 1, 0, 0, 1)]).cast(pl.Datetime("ns")), [1.0]),  # noqa: DTZ001 - naive is the case
        (pl.Series([timedelta(milliseconds=1500)]), [1.5]),
        (pl.Series([time(0, 1)]), [60.0]),
        (pl.Series(["1.25"]).cast(pl.Decimal(10, 2)), [1.25]),
    ],
)
def test_numbers_and_times(values, expected):
    assert np.array_equal(numbers(values), np.array(expected), equal_nan=True)


def test_levels_are_coded_by_frequency_over_both_sides_and_rare_ones_together():
    first, second = codes([pl.Series(["b", "b", None, "c"]), pl.Series(["a", "a", "d", "b"])], levels=2)
    assert np.array_equal(first, [0.0, 0.0, np.nan, 2.0], equal_nan=True)
    assert np.array_equal(second, [1.0, 1.0, 2.0, 0.0])


def test_categories_are_coded_by_their_words_not_by_their_own_codes():
    one, other = pl.Series(["x", "y"], dtype=pl.Categorical), pl.Series(["y", "x"], dtype=pl.Enum(["y", "x"]))
    first, second = codes([one, other])
    assert first.tolist() == second[::-1].tolist()


def test_identifiers_are_words_or_whole_numbers_that_never_repeat():
    text, real = (
        Column(name="x", type=ColumnType.STRING, physical=""),
        Column(name="x", type=ColumnType.FLOAT, physical=""),
    )
    assert names_rows(text, pl.Series(["a", "b", None, None]))
    assert not names_rows(text, pl.Series(["a", "b", "a"]))
    assert not names_rows(text, pl.Series(["a"]))
    assert not names_rows(real, pl.Series([1.5, 2.5]))
