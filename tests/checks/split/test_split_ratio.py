"""`split.ratio`: sizes and class shares of splits."""

import numpy as np
import pytest
from support.splits import folders, result, tables, told

from audit.records.words import Outcome

CHECK = "split.ratio"
SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}


def rows(train, val, test):
    return {name: {"x": range(size)} for name, size in (("train", train), ("val", val), ("test", test))}


def test_declared_shares_pass(tmp_path):
    found = result(tmp_path, CHECK, tables(tmp_path, **rows(800, 100, 100)), shares=SHARES)
    assert (found.outcome, found.summary) == (
        Outcome.PASS,
        "1,000 rows: train 80 %, val 10 %, test 10 %, as declared",
    )


def test_a_share_that_is_off_fails(tmp_path):
    datasets = tables(tmp_path, **rows(800, 130, 70))
    found = result(tmp_path, CHECK, datasets, shares=SHARES)
    assert told(found) == [("data/test.parquet", "share", "error"), ("data/val.parquet", "share", "error")]
    assert found.violations[1].message == ("val has 130 of 1,000 rows, 13 % where 10 % (+/- 1) are declared")
    assert result(tmp_path, CHECK, datasets, shares=SHARES, tolerance=0.03).outcome is Outcome.PASS


def test_rows_cannot_be_cut(tmp_path):
    assert result(tmp_path, CHECK, tables(tmp_path, **rows(6, 1, 1)), shares=SHARES).outcome is Outcome.PASS
    assert result(tmp_path, CHECK, tables(tmp_path, **rows(4, 2, 1)), shares=SHARES).outcome is Outcome.FAIL


def test_splits_that_are_not_there_or_not_declared_fail(tmp_path):
    datasets = tables(tmp_path, **rows(8, 1, 1))
    found = result(tmp_path, CHECK, datasets, shares={"train": 0.8, "val": 0.1, "holdout": 0.1})
    assert told(found) == [
        ("data/test.parquet", "extra", "error"),
        ("data/train.parquet#split=holdout", "missing", "error"),
    ]


def test_one_table_and_files_are_counted_too(tmp_path):
    datasets = tables(tmp_path, all={"s": ["train"] * 8 + ["test"] * 2})
    found = result(tmp_path, CHECK, datasets, dataset="all", split_column="s", shares={"train": 0.8, "test": 0.2})
    assert found.outcome is Outcome.PASS
    datasets = folders(tmp_path, train={f"{n}.wav": "" for n in range(8)}, test={"a.wav": "", "b.wav": ""})
    found = result(tmp_path, CHECK, datasets, shares={"train": 0.5, "test": 0.5})
    assert [kind for _, kind, _ in told(found)] == ["share", "share"]


def labelled(size, share, seed):
    drawn = np.random.default_rng(seed).random(size) < share
    return {"y": ["yes" if one else "no" for one in drawn]}


def test_a_random_split_is_stratified_enough_and_a_skewed_one_is_not(tmp_path):
    good = tables(tmp_path, train=labelled(20_000, 0.3, 1), val=labelled(10_000, 0.3, 2))
    assert result(tmp_path, CHECK, good, stratify="y").outcome is Outcome.PASS
    bad = tables(tmp_path, train=labelled(20_000, 0.3, 1), val=labelled(10_000, 0.36, 2))
    found = result(tmp_path, CHECK, bad, stratify="y")
    assert told(found) == [("data/val.parquet#y", "classes", "error")]
    assert "% of train and " in found.violations[0].message
    assert found.figures["p_adjusted_val"] < 0.001


def test_few_rows_are_insufficient_not_passed(tmp_path):
    few = tables(tmp_path, train=labelled(200, 0.3, 1), val={"y": ["yes"] * 12})
    found = result(tmp_path, CHECK, few, stratify="y")
    assert told(found) == [("data/val.parquet#y", "insufficient", "warning")]
    assert "insufficient data" in found.violations[0].message


def test_folders_are_classes(tmp_path):
    train = {f"{name}/{n}.png": "" for name in ("cat", "dog") for n in range(100)}
    datasets = folders(tmp_path, train=train, val={f"cat/{n}.png": "" for n in range(60)})
    found = result(tmp_path, CHECK, datasets, stratify="folder")
    assert told(found) == [("data/val", "classes", "error")]


def test_a_split_without_classes_is_no_pass(tmp_path):
    datasets = folders(tmp_path, train={"cat/1.png": ""}, val={"1.png": ""})
    assert result(tmp_path, CHECK, datasets, stratify="folder").outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, "say which `shares`"),
        ({"shares": {"train": 0.8, "val": 0.1}}, "add up to 0.9"),
        ({"stratify": "nope"}, "has no column 'nope'"),
    ],
)
def test_where_it_cannot_look_it_says_why(tmp_path, parameters, reason):
    found = result(tmp_path, CHECK, tables(tmp_path, **rows(8, 1, 1)), **parameters)
    assert found.outcome is Outcome.ERROR
    assert reason in found.reason
