"""`split.classes`: classes that are absent, extra, misspelt, or numbered otherwise."""

import polars as pl
import pytest
from support.splits import folders, result, tables, told

from audit.records.words import Outcome

CHECK = "split.classes"


def images(**counts):
    return {f"{name}/{number}.png": f"{name}{number}" for name, count in counts.items() for number in range(count)}


def test_the_same_folders_pass(tmp_path):
    datasets = folders(tmp_path, train=images(cat=3, dog=2), val=images(cat=1, dog=1))
    found = result(tmp_path, CHECK, datasets)
    assert (found.outcome, found.summary) == (Outcome.PASS, "2 classes in train, 2 classes in val: the same")
    assert found.exhibits[0].data == {"columns": ["class", "train", "val"], "rows": [["cat", 3, 1], ["dog", 2, 1]]}


def test_a_missing_folder_moves_the_numbers_of_those_behind_it(tmp_path):
    datasets = folders(tmp_path, train=images(cat=2, cow=2, dog=2), val=images(cat=1, dog=1))
    found = result(tmp_path, CHECK, datasets)
    assert told(found) == [("data/val", "absent", "warning"), ("data/val", "index", "error")]
    assert "1 of 2 shared classes have another number in val: 'dog' is 2 in train and 1 in val" in (
        found.violations[1].message
    )
    last = folders(tmp_path / "b", train=images(cat=2, cow=2, dog=2), val=images(cat=1, cow=1))
    assert result(tmp_path / "b", CHECK, last).outcome is Outcome.WARN


def test_a_class_that_training_lacks_fails_and_a_misspelling_is_named(tmp_path):
    datasets = folders(tmp_path, train=images(cat=2, traffic_light=2), val={**images(Cat=1, owl=2), **images(cat=1)})
    (tmp_path / "data/val/traffic light").mkdir()
    (tmp_path / "data/val/traffic light/1.png").write_bytes(b"1")
    found = result(tmp_path, CHECK, datasets)
    assert told(found) == [
        ("data/val", "extra", "error"),
        ("data/val", "index", "error"),
        ("data/val", "spelling", "error"),
        ("data/val", "spelling", "warning"),
    ]
    assert "1 class of val that train lacks: 'owl' (2)" in found.violations[0].message
    assert "'Cat' (1 time) for 'cat', 'traffic light' (1 time) for 'traffic_light'" in found.violations[2].message


def test_languages_of_one_letter_are_no_misspelling(tmp_path):
    classes = images(**{"C": 1, "C++": 1, "C#": 1})
    assert result(tmp_path, CHECK, folders(tmp_path, train=classes, val=classes)).outcome is Outcome.PASS


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_labels_of_a_column(tmp_path, suffix):
    datasets = tables(
        tmp_path,
        suffix,
        train={"label": ["a", "b", "c", None]},
        val={"label": ["a", "c", "c", "c"]},
        test={"label": ["a", "b", "c", "d"]},
    )
    found = result(tmp_path, CHECK, datasets, column="label", minimum=2)
    assert told(found) == [
        (f"data/test.{suffix}#label", "extra", "error"),
        (f"data/test.{suffix}#label", "few", "warning"),
        (f"data/train.{suffix}#label", "few", "warning"),
        (f"data/train.{suffix}#label", "missing", "warning"),
        (f"data/val.{suffix}#label", "absent", "warning"),
        (f"data/val.{suffix}#label", "few", "warning"),
    ]
    assert told(result(tmp_path, CHECK, datasets, column="label", index=True))[-1][1] == "index"


def test_numbers_are_one_class_whatever_their_width(tmp_path):
    train = pl.DataFrame({"y": pl.Series([0, 1], dtype=pl.Int8)})
    val = pl.DataFrame({"y": pl.Series([0.0, 1.0, None])})
    found = result(tmp_path, CHECK, tables(tmp_path, train=train, val=val), column="y")
    assert told(found) == [("data/val.parquet#y", "missing", "warning")]


def test_files_beside_the_folders_have_no_class(tmp_path):
    datasets = folders(tmp_path, train=images(cat=1), val={**images(cat=1), "stray.png": "x"})
    assert told(result(tmp_path, CHECK, datasets)) == [("data/val", "missing", "warning")]


def test_globs_start_where_they_stop_being_plain(tmp_path):
    datasets = folders(tmp_path, train=images(cat=1, dog=1), val=images(cat=1, dog=1))
    datasets["train"]["path"], datasets["val"]["path"] = "data/train/**/*.png", "data/val/*/*.png"
    assert result(tmp_path, CHECK, datasets).figures == {"classes_train": 2, "classes_val": 2}


def test_where_it_cannot_look_it_says_why(tmp_path):
    flat = folders(tmp_path, train={"a.png": "1"}, val={"b.png": "2"})
    assert result(tmp_path, CHECK, flat).outcome is Outcome.SKIP
    rows = tables(tmp_path, train={"y": range(20_000)}, val={"y": [1]})
    assert "20,000 values: it is no label" in result(tmp_path, CHECK, rows, column="y").reason
    assert "has no column 'z'" in result(tmp_path, CHECK, rows, column="z").reason
    nothing = pl.DataFrame({"y": pl.Series([None], dtype=pl.String)})
    rows = tables(tmp_path, train=nothing, val=nothing)
    assert "no row has a class" in result(tmp_path, CHECK, rows, column="y").reason
