"""`split.time`: training rows later than what they are tested on, and windows that overlap."""

# ruff: noqa: DTZ001 - times without a zone are what is looked at
import random
from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.splits import result, tables, told

from audit.records.splits import AskTimes, Part
from audit.records.table import Source
from audit.records.words import Outcome
from audit.tables.splits.time_splits import times

CHECK = "split.time"
EVEN, ODD = [2, 4, 6, 8, 10], [1, 3, 5, 7, 9]


def days(numbers):
    return [date(2024, 3, number) for number in numbers]


def test_a_shuffled_split_fails_with_counts_and_both_ends(tmp_path):
    found = result(tmp_path, CHECK, tables(tmp_path, train={"day": EVEN}, val={"day": ODD}), column="day")
    assert told(found) == [("data/val.parquet#day,with=train", "order", "error")]
    assert found.violations[0].message == (
        "max(train)=10 > min(val)=1; 5 of 5 validation rows precede the latest training row"
    )
    assert found.summary == "5 of 5 (100 %) rows of val precede the latest of train"


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_dates_are_told_as_dates(tmp_path, suffix):
    datasets = tables(tmp_path, suffix, train={"day": days(EVEN)}, val={"day": days(ODD)})
    found = result(tmp_path, CHECK, datasets, column="day")
    assert found.violations[0].message.startswith("max(train)=2024-03-10 > min(val)=2024-03-01; 5 of 5")


@pytest.mark.parametrize("make", [list, days, lambda numbers: [datetime(2024, 3, n, tzinfo=UTC) for n in numbers]])
def test_proper_order_passes_and_the_same_day_in_both_is_a_warning(tmp_path, make):
    train, val, test = make(range(1, 8)), make([8, 9]), make([10])
    datasets = tables(tmp_path, train={"day": train}, val={"day": val}, test={"day": test})
    found = result(tmp_path, CHECK, datasets, column="day")
    assert (found.outcome, found.summary) == (Outcome.PASS, "train, val, test follow each other in time")
    datasets = tables(tmp_path, train={"day": train}, val={"day": make([7, 8])}, test={"day": test})
    found = result(tmp_path, CHECK, datasets, column="day")
    assert (found.outcome, told(found)) == (Outcome.WARN, [("data/val.parquet#day,with=train", "boundary", "warning")])
    assert "1 of 2 validation rows are at the time of the latest training row" in found.violations[0].message


def test_validation_must_lie_before_test_too(tmp_path):
    datasets = tables(tmp_path, train={"t": [1, 2]}, val={"t": [5, 6]}, test={"t": [3, 9]})
    found = result(tmp_path, CHECK, datasets, column="t")
    assert told(found) == [("data/test.parquet#t,with=val", "order", "error")]
    assert "1 of 2 test rows precede the latest validation row" in found.violations[0].message


def test_a_gap_is_kept(tmp_path):
    datasets = tables(tmp_path, train={"t": days([1, 2])}, val={"t": days([5, 20])})
    assert result(tmp_path, CHECK, datasets, column="t", gap="3d").outcome is Outcome.PASS
    found = result(tmp_path, CHECK, datasets, column="t", gap="72.5h")
    assert told(found) == [("data/val.parquet#t,with=train", "gap", "error")]
    assert "1 of 2 validation rows follow the latest training row by less than 72.5h" in found.violations[0].message
    assert "is no length of time" in result(tmp_path, CHECK, datasets, column="t", gap="3 moons").reason


def test_each_series_is_judged_for_itself(tmp_path):
    train, val = {"t": [1, 2, 11, 12], "s": list("aabb")}, {"t": [3, 13], "s": list("ab")}
    datasets = tables(tmp_path, train=train, val=val)
    assert result(tmp_path, CHECK, datasets, column="t").outcome is Outcome.FAIL
    assert result(tmp_path, CHECK, datasets, column="t", by="s").outcome is Outcome.PASS
    datasets = tables(tmp_path, train=train, val={"t": [3, 10], "s": list("ab")})
    found = result(tmp_path, CHECK, datasets, column="t", by="s")
    assert "max(train)=12 > min(val)=10 (in the series 'b'); 1 of 2" in found.violations[0].message


def windows(starts, length):
    return {"first": starts, "last": [start + length - 1 for start in starts]}


def test_shuffled_windows_share_samples(tmp_path):
    starts = list(range(10))
    random.Random(4).shuffle(starts)
    train, test = starts[:7], starts[7:]
    datasets = tables(tmp_path, train=windows(train, 3), test=windows(test, 3))
    for how in ({"end": "last"}, {"window": 3}):
        found = result(tmp_path, CHECK, datasets, column="first", **how)
        assert told(found) == [("data/test.parquet#first,with=train", "window", "error")]
        assert "3 of 3 (100 %) windows of test share samples with windows of train" in found.violations[0].message
    apart = tables(tmp_path, train=windows([0, 1, 2, 8], 3), test=windows([5], 3))
    assert result(tmp_path, CHECK, apart, column="first", end="last").outcome is Outcome.PASS
    assert result(tmp_path, CHECK, apart, column="first", window=3).outcome is Outcome.PASS
    assert told(result(tmp_path, CHECK, apart, column="first", window=3, gap=1))[0][1] == "gap"


def test_windows_overlap_only_within_a_series(tmp_path):
    datasets = tables(
        tmp_path,
        train={"a": [datetime(2024, 1, 1)], "z": [datetime(2024, 1, 2)], "r": ["x"]},
        test={"a": [datetime(2024, 1, 1, 12)], "z": [datetime(2024, 1, 3)], "r": ["y"]},
    )
    assert result(tmp_path, CHECK, datasets, column="a", end="z", by="r").outcome is Outcome.PASS
    found = result(tmp_path, CHECK, datasets, column="a", end="z")
    assert "the first is 2024-01-01 12:00:00 to 2024-01-03" in found.violations[0].message


def test_naive_and_aware_times_are_an_error_that_says_so(tmp_path):
    moment = datetime(2024, 3, 1)
    datasets = tables(tmp_path, train={"t": [moment]}, val={"t": [moment.replace(tzinfo=UTC)]})
    found = result(tmp_path, CHECK, datasets, column="t")
    assert found.outcome is Outcome.ERROR
    assert "data/train.parquet holds times without a zone (naive)" in found.reason
    assert "data/val.parquet holds times of a zone (aware)" in found.reason


def test_zones_and_units_are_compared_as_instants(tmp_path):
    utc = pl.Series([datetime(2024, 3, 1, 12)]).dt.replace_time_zone("UTC")
    berlin = (utc + timedelta(minutes=1)).dt.convert_time_zone("Europe/Berlin").dt.cast_time_unit("ns")
    datasets = tables(tmp_path, train={"t": utc}, val={"t": berlin})
    assert result(tmp_path, CHECK, datasets, column="t").outcome is Outcome.PASS
    datasets = tables(tmp_path, train={"t": berlin}, val={"t": utc})
    assert "max(train)=2024-03-01 12:01:00 UTC > min(val)=2024-03-01 12:00:00 UTC" in (
        result(tmp_path, CHECK, datasets, column="t").violations[0].message
    )


def test_rows_that_cannot_be_judged_are_counted(tmp_path):
    train = pl.DataFrame({"t": [1.0, None, float("nan")], "e": [2.0, 2.0, 2.0]})
    datasets = tables(tmp_path, train=train, val={"t": [5.0, 9.0], "e": [6.0, 8.0]})
    found = result(tmp_path, CHECK, datasets, column="t", end="e")
    assert told(found) == [
        ("data/train.parquet#t", "missing", "warning"),
        ("data/val.parquet#t", "reversed", "error"),
    ]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [({"t": ["monday"]}, "which is no time"), ({"u": [1]}, "has no column 't'"), ({"t": [None]}, "is empty in every")],
)
def test_where_it_cannot_look_it_says_why(tmp_path, columns, reason):
    found = result(tmp_path, CHECK, tables(tmp_path, train=columns, val=columns), column="t")
    assert found.outcome is Outcome.ERROR
    assert reason in found.reason


def test_splits_of_unknown_order_cannot_be_judged(tmp_path):
    datasets = tables(tmp_path, all={"t": [1, 2], "fold": ["red", "blue"]})
    found = result(tmp_path, CHECK, datasets, dataset="all", split_column="fold", column="t")
    assert found.outcome is Outcome.ERROR
    assert found.violations[0].kind == "unordered"


WINDOWS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), st.sampled_from("ab")), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(WINDOWS, WINDOWS, st.integers(0, 4), st.booleans())
def test_overlaps_are_those_of_the_definition(tmp_path_factory, train, test, gap, by):
    folder = tmp_path_factory.mktemp("w")
    parts = []
    for name, rows in (("train", train), ("test", test)):
        path = folder / f"{name}.parquet"
        pl.DataFrame(
            {"s": [s for s, _, _ in rows], "e": [s + n for s, n, _ in rows], "r": [r for _, _, r in rows]}
        ).write_parquet(path)
        parts.append(Part(split=name, path=name, source=Source(files=(str(path),), format="parquet")))
    (pair,) = times(parts, "", AskTimes(column="s", end="e", gap=str(gap), by="r" if by else "")).pairs

    def distance(one, other):
        if by and one[2] != other[2]:
            return None
        return max(one[0] - other[0] - other[1], other[0] - one[0] - one[1])

    nearest = [[d for other in train if (d := distance(one, other)) is not None] for one in test]
    assert pair.before == sum(1 for some in nearest if some and min(some) <= 0)
    assert pair.close == sum(1 for some in nearest if some and 0 < min(some) < gap)
