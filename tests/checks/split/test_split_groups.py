"""`split.groups`: one patient, speaker or user in several splits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.splits import folders, result, tables, told

from audit.measures.ids import NORMALISERS, loosely, normalised
from audit.records.words import Outcome

CHECK = "split.groups"
PATIENTS = {
    "split": ["train", "train", "train", "val", "val", "test", "test"],
    "patient": ["p1", "p2", "p23", "p23", "p31", "p23", "p40"],
}


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_one_patient_in_three_splits_fails(tmp_path, suffix):
    datasets = tables(tmp_path, suffix, all=PATIENTS)
    found = result(tmp_path, CHECK, datasets, dataset="all", split_column="split", column="patient")
    assert found.outcome is Outcome.FAIL
    assert told(found) == [(f"data/all.{suffix}#split=test,patient", "shared", "error")]
    assert found.violations[0].message.startswith("1 shared group (p23) over 3 splits, rows affected 3 of 7")
    assert found.summary == "1 shared group (p23) over 3 splits, rows affected 3 of 7"
    assert found.exhibits[0].data["rows"] == [["p23", 1, 1, 1]]
    assert (found.figures["groups"], found.figures["shared_groups"]) == (5, 1)


def spelled(val, test):
    return {"train": ["p1", "p2", "p23"], "val": [val, "p31"], "test": [test, "p40"]}


@pytest.mark.parametrize(
    ("val", "test", "steps", "outcome"),
    [
        (" p23 ", "p50", [], Outcome.FAIL),
        ("p023", "P23", [], Outcome.PASS),
        ("p023", "p50", ["strip-zeros"], Outcome.FAIL),
        ("P23", "p50", ["lower"], Outcome.FAIL),
        ("P023", "p50", ["lower", "strip-zeros"], Outcome.FAIL),
        ("P-023", "p50", ["strip-punctuation", "strip-zeros"], Outcome.PASS),
        ("Patient 23", "p50", [], Outcome.PASS),
        ("Patient 23", "p50", ["digits"], Outcome.FAIL),
    ],
)
def test_ids_are_compared_after_trim_alone_unless_a_normaliser_is_set(tmp_path, val, test, steps, outcome):
    splits = {name: {"patient": ids} for name, ids in spelled(val, test).items()}
    found = result(tmp_path, CHECK, tables(tmp_path, **splits), column="patient", normalise=steps)
    assert found.outcome is outcome


def test_ids_that_look_alike_are_a_note(tmp_path):
    splits = {name: {"patient": ids} for name, ids in spelled("p023", "P23").items()}
    found = result(tmp_path, CHECK, tables(tmp_path, **splits), column="patient")
    assert told(found) == [("data/train.parquet#patient", "alike", "note")]
    assert "'P23' and 'p023' in different splits look like one id, and 2 more such pairs" in found.violations[0].message


def test_numbers_and_words_are_one_id_and_a_missing_id_is_no_group(tmp_path):
    datasets = tables(
        tmp_path,
        train={"user": [1, 2, 3]},
        val={"user": [4.0, None, float("nan")]},
        test={"user": ["3", "", None]},
    )
    found = result(tmp_path, CHECK, datasets, column="user")
    assert told(found) == [
        ("data/test.parquet#user", "missing", "warning"),
        ("data/test.parquet#user", "shared", "error"),
        ("data/val.parquet#user", "missing", "warning"),
    ]
    assert [one.found for one in found.violations] == [2, 1, 2]
    assert found.violations[1].message.startswith("1 shared group (3) over 2 splits, rows affected 2 of 5")


def test_speakers_by_their_paths(tmp_path):
    datasets = folders(
        tmp_path,
        train={"speakers/p1/a.wav": "1", "speakers/p2/a.wav": "2"},
        test={"speakers/p2/b.wav": "3", "speakers/p3/a.wav": "4", "noise.wav": "5"},
    )
    found = result(tmp_path, CHECK, datasets, pattern="/speakers/([^/]+)/")
    assert told(found) == [("data/test", "missing", "warning"), ("data/test", "shared", "error")]
    assert found.violations[1].message.startswith("1 shared group (p2) over 2 splits, files affected 2 of 4")
    del datasets["test"]
    assert result(tmp_path, CHECK, datasets, pattern="/speakers/([^/]+)/").outcome is Outcome.SKIP


def test_groups_apart_pass(tmp_path):
    found = result(tmp_path, CHECK, tables(tmp_path, train={"u": ["a", "b"]}, test={"u": ["c"]}), column="u")
    assert (found.outcome, found.summary) == (Outcome.PASS, "3 groups over 2 splits, none shared")


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"column": "who"}, "has no column 'who'"),
        ({"column": "nobody"}, "no row has a group"),
        ({}, "either the `column` of a table or a `pattern`"),
        ({"pattern": "(a)(b)"}, "no dataset|fewer than two|`column` is for tables"),
        ({"column": "u", "dataset": "train"}, "go together"),
    ],
)
def test_where_it_cannot_look_it_says_why(tmp_path, parameters, reason):
    columns = {
        "u": ["a"],
        "nobody": pytest.importorskip("polars").Series([None], dtype=pytest.importorskip("polars").String),
    }
    found = result(tmp_path, CHECK, tables(tmp_path, train=columns, test=columns), **parameters)
    assert found.outcome in {Outcome.ERROR, Outcome.SKIP}
    assert any(part in found.reason for part in reason.split("|"))


def test_a_pattern_has_one_group_and_is_valid(tmp_path):
    datasets = folders(tmp_path, train={"a.wav": "1"}, test={"b.wav": "2"})
    assert "has 2 groups; exactly one" in result(tmp_path, CHECK, datasets, pattern="(a)(b)").reason
    assert "no regular expression" in result(tmp_path, CHECK, datasets, pattern="(a").reason
    assert result(tmp_path, CHECK, datasets, pattern="/(x+x+)+y").reason == "no file has a group"


@given(st.text(), st.lists(st.sampled_from(sorted(NORMALISERS)), max_size=3))
def test_normalising_leaves_no_spaces_around(name, steps):
    assert normalised(name, steps) == normalised(name, steps).strip()


@pytest.mark.parametrize("spelling", ["p23", "P-23", "p_023", " P 0023 ", "\uff5023"])
def test_what_a_person_takes_for_one_is_alike(spelling):
    assert loosely(spelling) == "p23"


@pytest.mark.parametrize("other", ["p230", "p2-3x", "q23", "p3"])
def test_what_a_person_tells_apart_is_not_alike(other):
    assert loosely(other) != "p23"


def test_a_pattern_that_never_ends_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("audit.facts.splits.path_groups._TIMEOUT_S", 2)
    datasets = folders(tmp_path, train={"x" * 40 + ".wav": "1"}, test={"b.wav": "2"})
    found = result(tmp_path, CHECK, datasets, pattern="(?:x+x+)+(y)")
    assert found.outcome is Outcome.ERROR
    assert "did not answer within 2 s" in found.reason
