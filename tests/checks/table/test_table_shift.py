"""`table.shift` sees what no column shows alone, and is quiet where rows are alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.audits import audited, kinds, only

from audit.facts.tables import shift as fact

DATASETS = {"train": {"path": "train.parquet", "role": "train"}, "val": {"path": "val.parquet", "role": "val"}}


def rows(count, seed, rho=0.6, **more):
    """Two standard normal columns of that correlation, one of words with gaps, and whatever else."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=count)
    y = rho * x + (1 - rho**2) ** 0.5 * draw.normal(size=count)
    words = draw.choice(["red", "green", "blue"], count)
    data = {"x": x, "y": y, "word": words, **more}
    return pl.DataFrame(data).with_columns(word=pl.when(pl.col("x") > 1.5).then(None).otherwise("word"))


def shifted(tmp_path, train, val, **parameters):
    train.write_parquet(tmp_path / "train.parquet")
    val.write_parquet(tmp_path / "val.parquet")
    return only(audited(tmp_path, {"check": "table.shift", "with": parameters}, datasets=DATASETS))


def test_tables_of_the_same_distribution_pass(tmp_path):
    found = shifted(tmp_path, rows(1500, 1), rows(1500, 2))
    assert (found.outcome, found.violations) == ("pass", ())
    assert 0.45 < found.figures["auc"] < 0.55
    assert found.figures["auc_low"] < 0.5 < found.figures["auc_high"]


def test_a_correlation_that_turned_round_fails_though_no_column_moved(tmp_path):
    found = shifted(tmp_path, rows(1500, 1), rows(1500, 2, rho=-0.6))
    assert found.outcome == "fail"
    assert kinds(found.violations) == [("val.parquet", "shift")]
    (bars,) = (one for one in found.exhibits if one.type == "bars")
    assert set(bars.data["labels"][:2]) == {"x", "y"}
    assert "given away most by" in found.violations[0].message


def test_identifiers_are_left_out_and_named_unless_asked_for(tmp_path):
    train, val = rows(1000, 1, id=np.arange(1000)), rows(1000, 2, id=np.arange(1000) + 5000)
    found = shifted(tmp_path, train, val)
    assert found.outcome == "pass"
    (table,) = (one for one in found.exhibits if one.type == "table")
    assert [row[0] for row in table.data["rows"]] == ["id"]
    asked = shifted(tmp_path, train, val, columns=["id", "x"])
    assert asked.outcome == "fail"
    assert asked.figures["auc"] > 0.99


def test_columns_that_cannot_be_compared_are_named(tmp_path):
    lists = pl.Series("list", [[1]] * 1000)
    train = rows(1000, 1, only=np.ones(1000), mixed=np.ones(1000)).with_columns(lists)
    val = rows(1000, 2, mixed=np.array(["one"] * 1000)).with_columns(lists)
    found = shifted(tmp_path, train, val, ignore=["word"])
    (table,) = (one for one in found.exhibits if one.type == "table")
    assert {row[0]: row[1] for row in table.data["rows"]} == {
        "only": "in one table only",
        "mixed": "float and string",
        "list": "a list",
        "word": "ignored by the rule",
    }
    assert found.outcome == "pass"


@pytest.mark.parametrize(("few", "many"), [(8, 1000), (100, 120)])
def test_too_few_rows_are_a_warning_not_a_pass(tmp_path, few, many):
    found = shifted(tmp_path, rows(many, 1), rows(few, 2))
    assert found.outcome == "warn"
    assert kinds(found.violations) == [("val.parquet", "insufficient-data")]


def test_a_large_shift_in_few_rows_still_fails(tmp_path):
    found = shifted(tmp_path, rows(200, 1), rows(200, 2).with_columns(pl.col("x") + 3))
    assert kinds(found.violations) == [("val.parquet", "shift")]


def test_held_out_users_shift_unless_they_are_blocks(tmp_path):
    draw = np.random.default_rng(5)
    tone = draw.normal(size=(160, 3))
    user = np.repeat(np.arange(160), 20)
    heard = tone[user] + 0.3 * draw.normal(size=(len(user), 3))
    table = pl.DataFrame({"user": user, **{f"f{place}": heard[:, place] for place in range(3)}})
    train, val = table.filter(pl.col("user") < 110), table.filter(pl.col("user") >= 110)
    assert shifted(tmp_path, train, val).outcome == "fail"
    blocked = shifted(tmp_path, train, val, blocks="user")
    assert kinds(blocked.violations) in ([], [("val.parquet", "insufficient-data")])
    assert blocked.figures["auc_low"] < 0.5 < blocked.figures["auc_high"]


def test_few_groups_are_too_few_whatever_their_rows(tmp_path):
    train = rows(1000, 1).with_columns(user=pl.int_range(1000) % 8)
    val = rows(1000, 2).with_columns(user=pl.int_range(1000) % 8 + 100)
    found = shifted(tmp_path, train, val, blocks="user")
    assert kinds(found.violations) == [("val.parquet", "insufficient-data")]
    assert "8 and 8 groups" in found.violations[0].message


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_split_by_time_is_no_shift(tmp_path, unit):
    times = pl.datetime_range(pl.datetime(2024, 1, 1), pl.datetime(2024, 3, 1), "1m", eager=True, time_unit=unit)
    train, val = rows(900, 1).with_columns(at=times.head(900)), rows(900, 2).with_columns(at=times[1000:1900])
    found = shifted(tmp_path, train, val)
    assert kinds(found.violations) == []
    (table,) = (one for one in found.exhibits if one.type == "table")
    assert table.data["rows"] == [["at", "later in every row, as a split by time makes it"]]
    assert shifted(tmp_path, train, val, columns=["a?", "x"]).outcome == "fail"


def test_distinct_measures_are_no_identifiers(tmp_path):
    weights = np.random.default_rng(3).permutation(40_000)
    train, val = rows(600, 1, grams=weights[:600] * 3), rows(600, 2, grams=weights[599:1199] * 3)
    assert "left" not in shifted(tmp_path, train, val).summary
    assert shifted(tmp_path, train, val).figures["columns"] == 4


def test_times_and_missing_values_tell_tables_apart(tmp_path):
    times = pl.datetime_range(pl.datetime(2024, 1, 1), pl.datetime(2024, 1, 1, 16), "1m", eager=True).head(900)
    train = rows(900, 1).with_columns(at=times)
    later = rows(900, 2).with_columns(at=times.dt.offset_by("12h"))
    assert shifted(tmp_path, train, later).outcome == "fail"
    gaps = rows(900, 2).with_columns(at=pl.when(pl.int_range(900) % 3 > 0).then(times))
    assert shifted(tmp_path, train, gaps).outcome == "fail"


def test_a_column_that_is_not_there_cannot_be_looked_at(tmp_path):
    found = shifted(tmp_path, rows(100, 1), rows(100, 2), blocks="usr")
    assert found.outcome == "error"
    assert "usr" in found.reason


def test_a_table_that_is_not_there_cannot_be_looked_at(tmp_path):
    rows(100, 1).write_parquet(tmp_path / "train.parquet")
    assert only(audited(tmp_path, {"check": "table.shift"}, datasets=DATASETS)).outcome == "error"


def test_without_scikit_learn_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(fact, "find_spec", lambda _: None)
    found = shifted(tmp_path, rows(100, 1), rows(100, 2))
    assert (found.outcome, found.repair) == ("error", "pip install 'reproaudit[shift]'")


def test_shap_values_name_the_same_columns(tmp_path):
    found = shifted(tmp_path, rows(800, 1), rows(800, 2, rho=-0.6), explain="shap")
    (bars,) = (one for one in found.exhibits if one.type == "bars")
    assert set(bars.data["labels"][:2]) == {"x", "y"}


def test_the_answer_is_the_same_whatever_the_number_of_threads(tmp_path, monkeypatch):
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        monkeypatch.setenv("POLARS_MAX_THREADS", threads)
        answers.append(shifted(tmp_path, rows(600, 1), rows(600, 2, rho=-0.6)))
    assert answers[0] == answers[1]


def test_time_that_runs_out_is_an_error(tmp_path):
    found = shifted(tmp_path, rows(5000, 1), rows(5000, 2), timeout_s=1, rows=100_000)
    assert found.outcome == "error"
    assert "did not answer within 1 s" in found.reason
