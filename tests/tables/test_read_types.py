"""The types that are found in text: none loses a value, and what other readers would lose is said."""

import math
import tempfile
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reading import staged

moment = datetime.fromisoformat


def column(folder, values, **reading):
    """One column beside a key, each value written as it is."""
    text = "k,v\n" + "".join(f"{number},{value}\n" for number, value in enumerate(values))
    return staged(folder, {"t.csv": text}, header=True, delimiter=",", **reading)


def read(values, **reading):
    with tempfile.TemporaryDirectory() as folder:
        found = column(Path(folder), values, **reading)
        return found.types["v"], found.frame.get_column("v").to_list(), found.remarks


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        (["1", "-2", "0"], "integer", [1, -2, 0]),
        (["1", "", "NA", "nan", "None", "NULL", "N/A", "null", "3"], "integer", [1, *[None] * 7, 3]),
        ([" 1", "2 ", "3"], "integer", [1, 2, 3]),
        (["18446744073709551615", "0"], "integer", [2**64 - 1, 0]),
        (["1.5", "2", "-.5", "1e3", "+4.5"], "float", [1.5, 2, -0.5, 1000, 4.5]),
        (["1.5", "inf", "-Infinity", "NaN", "NA"], "float", [1.5, math.inf, -math.inf, None, None]),
        (["true", "False", "", "TRUE"], "boolean", [True, False, None, True]),
        (["0", "1"], "integer", [0, 1]),
        (["true", "1"], "string", ["true", "1"]),
        (["2020-02-29", "NaT", "1900-01-01"], "date", [date(2020, 2, 29), None, date(1900, 1, 1)]),
        (["2021-02-29", "2020-01-01"], "string", ["2021-02-29", "2020-01-01"]),
        (
            ["2020-01-01T10:00", "2020-01-01 10:00:00.5", "2020-01-02"],
            "timestamp",
            [moment("2020-01-01 10:00"), moment("2020-01-01 10:00:00.500"), moment("2020-01-02")],
        ),
        (
            ["2020-01-01T10:00Z", "2020-01-01T10:00:00+02:00", "2020-01-01T10:00:00-0130"],
            "timestamp",
            [datetime(2020, 1, 1, hour, minute, tzinfo=UTC) for hour, minute in ((10, 0), (8, 0), (11, 30))],
        ),
        (["2020-01-01T10:00Z", "2020-01-01T10:00"], "string", ["2020-01-01T10:00Z", "2020-01-01T10:00"]),
        (["10:30", "11:00"], "string", ["10:30", "11:00"]),
        (["1_000", "2"], "string", ["1_000", "2"]),
        (["", "NA"], "null", [None, None]),
        (["0x10"], "string", ["0x10"]),
        (["007", "NA", "8"], "string", ["007", None, "8"]),
        (["٣"], "string", ["٣"]),
    ],
)
def test_a_column_has_the_type_of_all_its_values(values, kind, found):
    assert read(values)[:2] == (kind, found)


@pytest.mark.parametrize(
    ("offsets", "zone"),
    [(["Z", "+00:00"], "UTC"), (["+02:00", "+0200"], "+02:00"), (["+01:00", "+02:00"], "several offsets")],
)
def test_the_offset_is_kept_beside_the_moment(tmp_path, offsets, zone):
    found = column(tmp_path, [f"2020-01-01T10:00:00{offset}" for offset in offsets])
    assert found.columns["v"].zone == zone
    assert column(tmp_path / "naive", ["2020-01-01T10:00:00"]).columns["v"].zone is None


def test_a_moment_is_as_fine_as_it_was_written(tmp_path):
    assert column(tmp_path / "a", ["2020-01-01T10:00:00.123456000"]).columns["v"].unit == "us"
    found = column(tmp_path / "b", ["2020-01-01T10:00:00.123456789"])
    assert (found.columns["v"].unit, found.frame.get_column("v").to_physical().item() % 1000) == ("ns", 789)
    assert column(tmp_path / "c", ["2020-01-01T10:00:00.123456789", "9999-01-01T10:00"]).types["v"] == "string"


@pytest.mark.parametrize(
    ("values", "kind", "count", "lines", "says"),
    [
        (["007", "12", "NA", ""], "leading-zeros", 1, (2,), "'007' is text"),
        (["1.5", "00.5"], "leading-zeros", 1, (3,), "'00.5' is text"),
        (["+49123", "5"], "leading-zeros", 1, (2,), "'+49123' is text"),
        (["a", "NA", "nan", "b"], "missing-word", 2, (3, 4), "'NA' is a word here; pandas would read it as missing"),
        (["1", "2", "3", "x"], "mixed", 1, (5,), "3 numbers and 1 other values, first 'x'"),
        (["9223372036854775807", ""], "inexact", 1, (2,), "9223372036854775807 -> 9223372036854775808"),
        (["9007199254740993", "0.5"], "inexact", 1, (2,), "9007199254740993 -> 9007199254740992"),
        (["18446744073709551617", "1"], "inexact", 1, (2,), "18446744073709551617 -> 18446744073709551616"),
        (["-9223372036854775809", "1"], "inexact", 1, (2,), "-9223372036854775809 -> -9223372036854775808"),
    ],
)
def test_what_other_readers_lose_is_said(values, kind, count, lines, says):
    _, _, (remark,) = read(values)
    assert (remark.kind, remark.column, remark.count, remark.lines) == (kind, "v", count, lines)
    assert says in remark.message


@pytest.mark.parametrize(
    "values",
    [
        ["9223372036854775807", "1"],  # no reader makes floats of them
        ["9007199254740992", ""],  # a power of two is exact
        ["9007199254740994", ""],  # so is an even number beyond it
        ["a", "b", "1"],  # a word among words
        ["a", "b", "1", "2"],
        ["1", "NA", ""],
        ["+1.5", "-2"],
        ["0", "0.5", "-0.25"],
        ["", ""],
    ],
)
def test_what_nobody_loses_is_not_remarked(values):
    assert read(values)[2] == ()


def test_a_word_may_be_declared_missing():
    assert read(["1", "?", "-999"], missing=("?", "-999"))[:2] == ("integer", [1, None, None])
    assert read(["a", "NA"], missing=("NA",)) == ("string", ["a", None], ())
    assert read(["a", '"?"'], missing=("?",))[1] == ["a", None]


INTEGERS = st.integers(-(2**70), 2**70) | st.integers(-(2**54), 2**54) | st.integers(-9, 9)


@settings(deadline=None)
@given(st.lists(INTEGERS | st.none(), min_size=1, max_size=20))
def test_integers_are_exact_or_stay_text(values):
    kind, found, remarks = read(["" if one is None else str(one) for one in values])
    there = [one for one in values if one is not None]
    if not there:
        assert kind == "null"
    elif all(-(2**63) <= one < 2**63 for one in there) or all(0 <= one < 2**64 for one in there):
        assert (kind, found) == ("integer", values)
        lossy = [one for one in there if int(float(one)) != one]
        assert [one.count for one in remarks] == ([len(lossy)] if lossy and None in values else [])
    else:
        assert (kind, found) == ("string", [one if one is None else str(one) for one in values])


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False) | st.none(), min_size=1, max_size=20))
def test_floats_are_those_that_were_written(values):
    kind, found, _ = read(["" if one is None else repr(one) for one in values])
    assert kind == ("null" if set(values) == {None} else "float")
    assert found == values


@settings(deadline=None)
@given(
    st.lists(st.datetimes(moment("0001-01-02"), moment("9999-12-30")), min_size=1, max_size=10),
    st.sampled_from([" ", "T"]),
    st.none() | st.integers(-14 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters))),
)
def test_moments_are_those_that_were_written(moments, between, zone):
    there = [one.replace(tzinfo=zone) for one in moments]
    kind, found, _ = read([one.isoformat(between) for one in there])
    assert kind == "timestamp"
    assert found == there
