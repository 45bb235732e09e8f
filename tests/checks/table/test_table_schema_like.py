"""`table.schema` with `infer`: a table held against another one."""

from datetime import UTC, datetime

import polars as pl
import pytest
from support.audits import audited, kinds
from support.schemas import held, judged, lines, write

from audit.records.words import Outcome

INFER = "role:train"


def _like(root, train, val, suffix="parquet", **said):
    return held(root, {"train": {"x": train}, "val": {"x": val}}, suffix, **({"infer": INFER} | said))


FORMATS = pytest.mark.parametrize("suffix", ["parquet", "csv"])
"""Text and columns."""


@FORMATS
def test_a_level_that_training_never_saw_warns_or_fails_when_levels_are_closed(tmp_path, suffix):
    told = "1 unseen level: d (1 row, 25 %)"
    result = _like(tmp_path, list("abc"), list("abcd"), suffix)
    assert (result.outcome, lines(result)) == (Outcome.WARN, [("warning", "unseen-level", told)])
    result = _like(tmp_path, list("abc"), list("abcd"), suffix, levels="closed")
    assert (result.outcome, lines(result)) == (Outcome.FAIL, [("error", "unseen-level", told)])


@FORMATS
def test_null_is_no_level(tmp_path, suffix):
    result = _like(tmp_path, list("abc"), ["a", "b", None, "c"], suffix, levels="closed")
    assert (result.outcome, lines(result)) == (
        Outcome.WARN,
        [("warning", "missing", "missing 0 % -> 25 % (1 of 4 rows)")],
    )
    assert "nan" not in str(result).lower()


@FORMATS
def test_a_level_that_vanished_is_a_note(tmp_path, suffix):
    result = _like(tmp_path, list("abc"), list("ab"), suffix)
    assert (result.outcome, lines(result)) == (Outcome.PASS, [("note", "vanished-level", "c absent")])


def test_booleans_have_levels(tmp_path):
    result = _like(tmp_path, [True, True], [True, False])
    assert [one[1:] for one in lines(result)] == [("unseen-level", "1 unseen level: false (1 row, 50 %)")]


def test_names_of_single_rows_are_no_levels(tmp_path):
    train, val = [f"user {n}" for n in range(50)], [f"user {n}" for n in range(50, 70)]
    assert _like(tmp_path, train, val).outcome is Outcome.PASS
    ((weight, kind, told),) = lines(_like(tmp_path, train, val, levels="closed"))
    assert (weight, kind, told) == ("warning", "uncompared", "levels not compared: 50 levels in 50 rows in train")
    ((_, kind, told), *_) = lines(_like(tmp_path, train * 2, [name.upper() for name in val]))
    assert kind == "unseen-level"
    assert told.endswith("(20 rows, 100 %); no level in common with train")


def test_text_instead_of_levels_is_told(tmp_path):
    result = _like(tmp_path, ["yes", "no"], ["x" * 300, "y"])
    assert lines(result) == [
        ("warning", "unseen-level", "too many levels to compare, or too long ones; 2 levels in train")
    ]


def test_integers_beside_missing_values_in_text_warn_and_are_no_other_type(tmp_path):
    result = _like(tmp_path, [1, 2, 3], [1, 2, None, 3], "csv")
    assert result.outcome is Outcome.WARN
    ((_, kind, told),) = lines(result)
    assert (kind, told.partition(";")[0]) == ("missing", "integer with 1 null (25 %)")


def test_integers_that_a_reader_would_round_fail(tmp_path):
    result = _like(tmp_path, [1, 2, 3], [9223372036854775807, None, 1], "csv")
    assert result.outcome is Outcome.FAIL
    told = {one.kind: one.message for one in result.violations}
    assert "not exactly representable" in told["inexact"]
    assert "9223372036854775807 -> 9223372036854775808" in told["inexact"]


@pytest.mark.parametrize("width", [pl.Int64, pl.Int32, pl.UInt8])
def test_nullable_integers_in_columns_pass_whatever_their_width(tmp_path, width):
    val = pl.Series([1, 2, None, 3], dtype=width)
    result = _like(tmp_path, [1, 2, 3], val)
    assert result.outcome is Outcome.PASS
    assert _like(tmp_path, val, [1, 2, 3]).outcome is Outcome.PASS


def test_large_nullable_integers_in_columns_pass(tmp_path):
    assert _like(tmp_path, [1, 2, 3], [9223372036854775807, None]).outcome is Outcome.PASS


def test_integers_that_became_floats(tmp_path):
    result = _like(tmp_path, [1, 2, 3], [1.0, None, 3.0, 4.0])
    assert result.outcome is Outcome.WARN
    assert ("warning", "type", "integer with 1 null (25 %), held as float64; integer in train") in lines(result)
    assert _like(tmp_path, [1, 2, 3], [1.5, None]).outcome is Outcome.FAIL
    assert _like(tmp_path, [1, 2, 3], [2.0**53, None]).outcome is Outcome.FAIL
    assert _like(tmp_path, [1, 2, 3], [1.0, 2.0]).outcome is Outcome.FAIL


def test_a_float_may_be_whole_and_a_string_a_category(tmp_path):
    assert lines(_like(tmp_path, [1.5], [1]))[0][:2] == ("note", "type")
    categories = pl.Series(["a"], dtype=pl.Categorical)
    assert lines(_like(tmp_path, ["a"], categories)) == []
    assert lines(_like(tmp_path, categories, ["a"])) == []
    assert _like(tmp_path, [1], ["a"]).outcome is Outcome.FAIL
    assert lines(_like(tmp_path, [1, None], [None]))[0][:2] == ("note", "type")


NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def _clock(zone, unit="us"):
    return pl.Series([NOON.replace(tzinfo=None)]).dt.cast_time_unit(unit).dt.replace_time_zone(zone)


CLOCKS = {
    "two spellings of UTC": (_clock("UTC"), _clock("Etc/UTC"), Outcome.PASS, []),
    "naive and aware": (
        _clock(None),
        _clock("UTC"),
        Outcome.FAIL,
        [("error", "zone", "naive vs aware: UTC here, naive in train")],
    ),
    "aware and naive": (
        _clock("UTC"),
        _clock(None),
        Outcome.FAIL,
        [("error", "zone", "naive vs aware: naive here, UTC in train")],
    ),
    "two zones": (
        _clock("UTC"),
        _clock("Europe/Berlin"),
        Outcome.WARN,
        [("warning", "zone", "time zone differs: Europe/Berlin here, UTC in train; instants stay comparable")],
    ),
    "two units": (
        _clock("UTC", "ns"),
        _clock("UTC"),
        Outcome.PASS,
        [("note", "unit", "clock in us here, in ns in train")],
    ),
}


@pytest.mark.parametrize("case", CLOCKS)
def test_clocks(tmp_path, case):
    train, val, outcome, told = CLOCKS[case]
    result = _like(tmp_path, train, val)
    assert (result.outcome, lines(result)) == (outcome, told)


def test_columns_and_their_order(tmp_path):
    train, val = {"a": [1], "b": [1], "c": [1]}, {"c": [1], "a": [1], "x": [1]}
    result = held(tmp_path, {"train": train, "val": val}, infer="train")
    assert lines(result) == [
        (
            "warning",
            "order",
            "columns stand in another order than in train: 'c' where 'a' should be (place 1 of those that both have)",
        ),
        ("error", "absent", "no such column; it is in train"),
        ("error", "extra", "a column that is not in train"),
    ]
    result = held(tmp_path, {"train": train, "val": val}, infer="train", extra="allow", order=False)
    assert kinds(result.violations) == [("val.parquet#b", "absent")]


def test_the_reference_itself_is_skipped_unless_more_is_declared(tmp_path):
    assert held(tmp_path, {"train": {"x": [1]}}, infer="train").outcome is Outcome.SKIP
    assert held(tmp_path, {"train": {"x": [1]}}, infer=INFER).outcome is Outcome.SKIP
    result = held(tmp_path, {"train": {"x": [1]}}, infer=INFER, columns={"x": {"max": 0}})
    assert result.outcome is Outcome.FAIL


def test_a_role_that_no_table_has_is_skipped_and_a_word_that_is_nothing_is_an_error(tmp_path):
    assert held(tmp_path, {"val": {"x": [1]}}, infer="train").outcome is Outcome.SKIP
    result = held(tmp_path, {"val": {"x": [1]}}, infer="role:trian")
    assert (result.outcome, result.repair) == (Outcome.ERROR, "did you mean 'role:train'?")


def test_a_table_without_a_role_is_like_none(tmp_path):
    tables = {"train": {"x": [1]}, "users": {"name": ["a"]}}
    assert held(tmp_path, tables, infer=INFER).outcome is Outcome.SKIP
    assert held(tmp_path, tables, infer="train").outcome is Outcome.FAIL


def test_among_several_of_the_role_the_most_similar_is_taken(tmp_path):
    frames = {"orders": {"x": [1], "y": [1]}, "users": {"name": ["a"]}, "late": {"name": ["a"]}}
    for name, frame in frames.items():
        write(tmp_path / f"{name}.parquet", frame)
    roles = {"orders": "train", "users": "train", "late": "val"}
    datasets = {name: {"path": f"{name}.parquet", "role": role} for name, role in roles.items()}
    report = audited(tmp_path, {"check": "table.schema", "with": {"infer": INFER}}, datasets=datasets)
    assert [str(one.outcome) for one in report.results] == ["pass", "skip", "skip"]  # in the order of their names


def test_a_reference_that_cannot_be_read_leaves_the_rule_undecided(tmp_path):
    held(tmp_path, {"train": {"x": [1]}, "val": {"x": [1]}})
    (tmp_path / "train.parquet").write_bytes(b"gone")
    result = judged(tmp_path, ["train.parquet", "val.parquet"], infer="train")
    assert (result.outcome, kinds(result.violations)) == (Outcome.ERROR, [("train.parquet", "unread")])


def test_a_label_that_is_kept_back_may_be_absent_where_that_is_declared(tmp_path):
    tables = {"train": {"x": [1, 2], "label": [0, 1]}, "test": {"x": [3, 4]}}
    assert held(tmp_path, tables, infer="train").outcome is Outcome.FAIL
    assert held(tmp_path, tables, infer="train", columns={"label": {"required": False}}).outcome is Outcome.PASS
