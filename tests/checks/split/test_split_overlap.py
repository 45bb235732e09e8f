"""`split.overlap`: rows and files that lie in several splits."""

import polars as pl
import pytest
from support.splits import folders, result, tables, told

from audit.records.words import Outcome

CHECK = "split.overlap"
PNG = b"\x89PNG\r\n\x1a\n"


def test_a_test_set_inside_the_training_set_fails_by_content_not_by_name(tmp_path):
    train = {f"patch{n}.png": PNG + bytes([n]) for n in range(9)}
    train["again.png"] = train["patch7.png"]
    test = {f"t{n}.png": train[f"patch{n}.png"] for n in range(3)}
    found = result(tmp_path, CHECK, folders(tmp_path, train=train, test=test))
    assert found.outcome is Outcome.FAIL
    assert told(found) == [
        ("data/test#with=train", "overlap", "error"),
        ("data/train", "duplicate", "warning"),
    ]
    cross, within = found.violations
    assert "test-train: 3 of 3 (100 %) files of test are in train as well (3 groups)" in cross.message
    assert "data/train/patch0.png = data/test/t0.png" in cross.message or "data/test/t0.png" in cross.message
    assert within.message.startswith("train-train: 1 group of equal files within train, 1 more than one of each")
    assert found.figures == {
        "files_train": 10,
        "files_test": 3,
        "shared_files_test_train": 3,
        "duplicate_files_train": 1,
        "shared_file_groups": 3,
    }
    assert found.summary == "3 groups of equal files across splits; test-train 3 of 3 (100 %)"


def test_a_group_over_three_splits_counts_once(tmp_path):
    same = {"a.png": PNG + b"same"}
    datasets = folders(
        tmp_path, train={"x.png": PNG + b"same", "y.png": PNG}, val=same, test={**same, "b.png": PNG + b"b"}
    )
    found = result(tmp_path, CHECK, datasets)
    assert found.figures["shared_file_groups"] == 1
    assert [one.found for one in found.violations] == [1, 1, 1]
    assert len(found.exhibits[0].data["rows"]) == 1


def test_files_of_one_size_and_other_content_pass_and_empty_files_are_left_out(tmp_path):
    datasets = folders(tmp_path, train={"a.wav": "1", "b.wav": "2", "0.wav": ""}, test={"a.wav": "3", "0.wav": ""})
    found = result(tmp_path, CHECK, datasets)
    assert (found.outcome, told(found), found.figures["empty_files"]) == (Outcome.PASS, [], 2)
    assert found.summary == "no file is in two splits: 3 files of train + 2 files of test"


def test_a_file_that_cannot_be_read_is_no_pass(tmp_path):
    datasets = folders(tmp_path, train={"a.wav": "1", "b.wav": "2"}, test={"a.wav": "3"})
    (tmp_path / "data/test/gone.wav").symlink_to("/nowhere")
    assert result(tmp_path, CHECK, datasets).outcome is Outcome.ERROR


def test_rows_are_equal_by_value_whatever_their_type_and_place(tmp_path):
    train = pl.DataFrame(
        {
            "id": [1, 2, 3, 4, 5],
            "x": pl.Series([0.0, float("nan"), None, 4.5, 5.5]),
            "n": pl.Series([1, 2, 3, 4, 5], dtype=pl.Int64),
            "s": pl.Series(["a", None, "c", "d", "e"]),
        }
    )
    test = pl.DataFrame(
        {
            "s": pl.Series(["c", None, "a", "zz"], dtype=pl.Categorical),
            "n": pl.Series([3, 2, 1, 4], dtype=pl.Int8),
            "x": pl.Series([None, float("nan"), -0.0, 4.5]),
            "id": [9, 8, 7, 6],
        }
    )
    datasets = tables(tmp_path, train=train, test=test)
    assert result(tmp_path, CHECK, datasets).outcome is Outcome.PASS
    found = result(tmp_path, CHECK, datasets, ignore=["id"])
    assert told(found) == [("data/test.parquet#with=train", "overlap", "error")]
    assert "test-train: 3 of 4 (75 %) rows of test are in train as well (3 groups)" in found.violations[0].message
    assert "data/train.parquet, row 1 = data/test.parquet, row 3" in found.violations[0].message


def test_null_is_neither_nan_nor_nothing_else(tmp_path):
    train = {"x": [float("nan"), 1.0], "s": ["", "b"], "k": [1, 2]}
    test = {"x": [None, 1.0], "s": ["", None], "k": [1, 2]}
    assert result(tmp_path, CHECK, tables(tmp_path, train=train, test=test)).outcome is Outcome.PASS


def test_duplicates_within_a_split_are_a_warning(tmp_path):
    datasets = tables(tmp_path, train={"a": [1, 1, 1, 2], "b": [1, 1, 1, 2]}, test={"a": [3], "b": [3]})
    found = result(tmp_path, CHECK, datasets)
    assert (found.outcome, told(found)) == (Outcome.WARN, [("data/train.parquet", "duplicate", "warning")])
    assert "1 group of equal rows within train, 2 more than one of each" in found.violations[0].message
    assert "row 1, data/train.parquet, row 2" in found.violations[0].message


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_one_table_with_a_column_of_splits(tmp_path, suffix):
    columns = {
        "split": ["test", "train", "train", " test ", None],
        "text": ["a", "b", "a", "c", "d"],
        "n": [1, 2, 1, 3, 4],
    }
    datasets = tables(tmp_path, suffix, everything=columns)
    found = result(tmp_path, CHECK, datasets, dataset="everything", split_column="split", columns=["text", "n"])
    assert told(found) == [
        (f"data/everything.{suffix}#split", "no-split", "warning"),
        (f"data/everything.{suffix}#split=test,with=train", "overlap", "error"),
    ]
    assert "1 of 2 (50 %)" in found.violations[1].message
    assert "row 1 = " in found.violations[1].message


def test_what_is_allowed_is_a_warning(tmp_path):
    datasets = tables(tmp_path, train={"a": [1, 2], "b": [1, 2]}, test={"a": [*range(2, 102)], "b": [*range(2, 102)]})
    assert result(tmp_path, CHECK, datasets).outcome is Outcome.FAIL
    found = result(tmp_path, CHECK, datasets, allow=0.01)
    assert (found.outcome, told(found)[0][2]) == (Outcome.WARN, "warning")


def test_coarse_values_repeat_by_chance_and_are_a_warning(tmp_path):
    bits = {"a": [n % 2 for n in range(200)], "b": [n % 3 for n in range(200)]}
    found = result(tmp_path, CHECK, tables(tmp_path, train=bits, test=bits))
    assert found.outcome is Outcome.WARN
    assert "so coarse that chance would make 200 equal" in found.violations[1].message
    assert [str(one.severity) for one in found.violations] == ["note", "warning", "note"]
    fine = {"a": [*range(200)], "b": [n % 3 for n in range(200)]}
    assert result(tmp_path, CHECK, tables(tmp_path, train=fine, test=fine)).outcome is Outcome.FAIL


def test_datasets_of_one_role_are_one_split(tmp_path):
    datasets = tables(tmp_path, a={"x": [1, 2], "y": [1, 2]}, b={"x": [1], "y": [1]}, c={"x": [2], "y": [2]})
    for name, role in {"a": "train", "b": "train", "c": "test"}.items():
        datasets[name]["role"] = role
    found = result(tmp_path, CHECK, datasets)
    assert [one.kind for one in found.violations] == ["duplicate", "overlap"] or [
        one.kind for one in found.violations
    ] == ["overlap", "duplicate"]
    assert found.figures["rows_train"] == 3


def test_tables_and_files_are_compared_apart(tmp_path):
    rows = tables(tmp_path, train={"x": [1]}, test={"x": [2]})
    files = folders(tmp_path, images={"a.png": PNG}, pictures={"b.png": PNG})
    files["images"]["role"], files["pictures"]["role"] = "train", "test"
    found = result(tmp_path, CHECK, rows | files)
    assert told(found) == [("data/pictures#with=images", "overlap", "error")] or told(found) == [
        ("data/pictures#with=train", "overlap", "error")
    ]
    assert found.summary.startswith("no row is in two splits: 1 row of train + 1 row of test in 1 column; 1 group")
    assert result(tmp_path, CHECK, rows | files, only="rows").outcome is Outcome.PASS


def test_types_that_do_not_go_together_are_said(tmp_path):
    datasets = tables(tmp_path, train={"k": [1, 2], "z": ["1", "2"]}, test={"k": ["1", "x"], "z": ["1", "2"]})
    found = result(tmp_path, CHECK, datasets)
    assert told(found) == [
        ("data/test.parquet#with=train", "overlap", "error"),
        ("data/train.parquet#k", "types", "warning"),
    ]


def test_fewer_than_two_splits_are_skipped(tmp_path):
    assert result(tmp_path, CHECK, tables(tmp_path, train={"x": [1]})).outcome is Outcome.SKIP


def test_tables_that_share_nothing_cannot_be_compared(tmp_path):
    datasets = tables(tmp_path, train={"x": [1], "y": [2]}, test={"z": [1], "w": [3]})
    found = result(tmp_path, CHECK, datasets)
    assert found.outcome is Outcome.ERROR
    assert "share 0 of their 4 columns" in found.reason
    found = result(tmp_path, CHECK, datasets, columns=["x"])
    assert found.outcome is Outcome.ERROR
    assert "data/test.parquet has no column 'x'" in found.reason


def test_a_column_that_numbers_the_rows_hides_nothing(tmp_path):
    train = {"x": [n * 0.37 for n in range(200)], "y": [n % 2 for n in range(200)], "row": [*range(200)]}
    test = {"x": train["x"][:40], "y": train["y"][:40], "row": [*range(500, 540)]}
    found = result(tmp_path, CHECK, tables(tmp_path, train=train, test=test))
    assert told(found) == [
        ("data/test.parquet#with=train", "overlap", "error"),
        ("data/train.parquet#row", "row-number", "note"),
    ]
    named = result(tmp_path, CHECK, tables(tmp_path, train=train, test=test), columns=["x", "row"])
    assert named.outcome is Outcome.PASS


def test_a_column_that_differs_in_every_row_is_named(tmp_path):
    train = {"x": [n * 0.37 for n in range(200)], "key": [f"k{n * n}" for n in range(200)]}
    test = {"x": train["x"][:40], "key": [f"j{n}" for n in range(40)]}
    found = result(tmp_path, CHECK, tables(tmp_path, train=train, test=test))
    assert (found.outcome, told(found)) == (Outcome.PASS, [("data/train.parquet#key", "identifier", "note")])
    assert result(tmp_path, CHECK, tables(tmp_path, train=train, test=test), ignore=["key"]).outcome is Outcome.FAIL


def test_coarse_values_behind_a_row_number_only_note(tmp_path):
    train = {"row": [*range(300)], "y": [n % 2 for n in range(300)], "age": [n % 7 for n in range(300)]}
    test = {"row": [*range(300, 400)], "y": [n % 2 for n in range(100)], "age": [n % 7 for n in range(100)]}
    assert result(tmp_path, CHECK, tables(tmp_path, train=train, test=test)).outcome is Outcome.PASS


def test_parts_of_one_table_are_told_apart(tmp_path):
    columns = {"fold": ["a", "a", "b", "c"], "x": [1.5, 2.5, 1.5, 1.5]}
    (whole,) = tables(tmp_path, whole=columns).values()
    datasets = {
        role: {**whole, "role": role, "where": {"fold": [fold]}}
        for role, fold in {"train": "a", "val": "b", "test": "c"}.items()
    }
    found = result(tmp_path, CHECK, datasets, ignore=["fold"])
    assert [one.subject for one in found.violations] == [
        "data/whole.parquet#fold=b,with=train",
        "data/whole.parquet#fold=c,with=train",
        "data/whole.parquet#fold=c,with=val",
    ]
    assert len({one.key for one in found.violations}) == 3


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        ("split.overlap", {}),
        ("split.groups", {"column": "y"}),
        ("split.time", {"column": "t"}),
        ("split.time", {"column": "t", "window": 2}),
        ("split.classes", {"column": "y"}),
        ("split.coverage", {"key": "y"}),
    ],
)
def test_an_empty_split_is_no_silent_pass(tmp_path, check, parameters):
    full = pl.DataFrame({"y": ["a", "b"], "t": [1, 2], "x": [0.5, 1.5]})
    found = result(tmp_path, check, tables(tmp_path, train=full, val=full.clear()), **parameters)
    assert found.outcome is Outcome.WARN
    assert "empty" in [one.kind for one in found.violations]


def test_names_that_are_no_utf8_are_compared_too(tmp_path):
    datasets = folders(tmp_path, train={"a.wav": "same"}, val={"b.wav": "other"})
    (tmp_path / "data/val" / b"\xff.wav".decode("utf-8", "surrogateescape")).write_bytes(b"same")
    assert result(tmp_path, CHECK, datasets).outcome is Outcome.FAIL
    assert result(tmp_path, "split.groups", datasets, pattern="/([^/]+)$").figures["groups"] == 3
