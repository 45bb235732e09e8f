"""`split.coverage`: records in no split, in several, and lists of files that are not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.splits import folders, result, tables, told

from audit.facts.splits.lists import held
from audit.records.words import Outcome

CHECK = "split.coverage"
LISTS = {"train": "splits/train.txt", "val": "splits/val.txt"}


def corpus(root, files, **lists):
    datasets = folders(root, clips={name: name for name in files})
    (root / "splits").mkdir(exist_ok=True)
    for name, text in lists.items():
        (root / "splits" / f"{name}.txt").write_text(text)
    return datasets


def test_lists_that_cover_the_files_pass(tmp_path):
    datasets = corpus(tmp_path, ["a/1.wav", "a/2.wav", "3.wav"], train="a/1.wav\n./a/2.wav\n", val="\n3.wav\r\n")
    found = result(tmp_path, CHECK, datasets, whole="clips", lists=LISTS)
    assert (found.outcome, found.summary) == (Outcome.PASS, "3 files, each in exactly one of 2 splits")


def test_each_way_to_be_wrong_is_named(tmp_path):
    datasets = corpus(
        tmp_path,
        [f"{n}.wav" for n in range(1, 7)],
        train="1.wav\n1.wav\n2.wav\n../../etc/passwd\n/etc/passwd\n",
        val="2.wav\n3.wav\n9.wav\n",
    )
    found = result(tmp_path, CHECK, datasets, whole="clips", lists=LISTS)
    assert told(found) == [
        ("splits/train.txt", "repeated", "warning"),
        ("splits/train.txt", "several", "error"),
        ("splits/train.txt", "uncovered", "error"),
        ("splits/train.txt#line=4", "unsafe-path", "error"),
        ("splits/train.txt#line=5", "unsafe-path", "error"),
        ("splits/val.txt", "missing", "error"),
    ]
    assert found.violations[1].message == "1 file in several splits: 2.wav (train, val)"
    assert found.violations[2].message == "3 of 6 (50 %) files are in no split: 4.wav, 5.wav, 6.wav"
    assert found.violations[5].message == "1 file named by val is not in 'clips': 9.wav"
    assert found.summary == "6 files: 3 in no split, 1 in several, 1 named but not there, 2 unsafe paths"


def test_ids_without_suffixes_and_columns_of_csv(tmp_path):
    datasets = corpus(tmp_path, ["x/0001.jpg", "x/0002.jpg"], train="0001\n", val="0002\n")
    found = result(tmp_path, CHECK, datasets, whole="clips", lists=LISTS, match="stem")
    assert found.outcome is Outcome.PASS
    (tmp_path / "splits/all.csv").write_text('label,file\ncat,"data/clips/x/0001.jpg"\ndog,data/clips/x/0002.jpg\n')
    lists = {"train": "splits/all.csv"}
    found = result(tmp_path, CHECK, datasets, whole="clips", lists=lists, column="file", base="")
    assert found.outcome is Outcome.PASS
    found = result(tmp_path, CHECK, datasets, whole="clips", lists=lists)
    assert "several columns" in found.reason


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"lists": {"train": "nope.txt"}}, "no such list in the project"),
        ({"lists": {"train": "../nope.txt"}}, "the list leads out of its folder"),
        ({"lists": {"train": "link.txt"}}, "no such list in the project"),
        ({"lists": {"train": "latin.txt"}}, "not UTF-8"),
        ({"lists": LISTS, "key": "id"}, "`lists` is for files"),
    ],
)
def test_where_it_cannot_look_it_says_why(tmp_path, parameters, reason):
    root = tmp_path / "p"
    root.mkdir()
    datasets = corpus(root, ["1.wav"])
    (tmp_path / "secret.txt").write_text("1.wav\n")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "latin.txt").write_bytes(b"\xff\xfe\xfd")
    found = result(root, CHECK, datasets, whole="clips", **parameters)
    assert found.outcome is Outcome.ERROR
    assert reason in found.reason


def test_datasets_of_files_divide_a_whole(tmp_path):
    datasets = folders(tmp_path, train={"1.wav": ""}, val={"2.wav": ""}, other={"3.wav": ""})
    datasets["all"] = {"path": "data"}
    found = result(tmp_path, CHECK, datasets, whole="all")
    assert told(found) == [("data/train", "uncovered", "error")]
    datasets["val"]["path"] = "data/**/*.wav"
    found = result(tmp_path, CHECK, datasets, whole="all")
    assert told(found) == [("data/train", "several", "error")]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_keys_of_tables(tmp_path, suffix):
    datasets = tables(tmp_path, suffix, users={"id": [1, 2, 3, 4]}, train={"id": [1, 1, 2]}, val={"id": [2, 7, None]})
    found = result(tmp_path, CHECK, datasets, key="id", whole="users")
    assert told(found) == [
        (f"data/train.{suffix}#id", "repeated", "warning"),
        (f"data/train.{suffix}#id", "several", "error"),
        (f"data/train.{suffix}#id", "uncovered", "error"),
        (f"data/val.{suffix}#id", "missing", "error"),
        (f"data/val.{suffix}#id", "no-key", "warning"),
    ]
    assert found.violations[2].message == "2 of 4 (50 %) keys are in no split: 3, 4"


def test_rows_of_one_table_without_a_split_are_in_none(tmp_path):
    datasets = tables(tmp_path, all={"id": [1, 2, 3], "s": ["train", "test", None]})
    found = result(tmp_path, CHECK, datasets, dataset="all", split_column="s", key="id")
    assert told(found) == [
        ("data/all.parquet#s", "no-split", "warning"),
        ("data/all.parquet#split=train,id".replace("split", "s"), "uncovered", "error"),
    ] or [kind for _, kind, _ in told(found)] == ["uncovered", "no-split"]
    assert found.figures["records"] == 3


@given(st.dictionaries(st.sampled_from(["train", "val", "test"]), st.lists(st.sampled_from("abcdef")), min_size=1))
def test_what_is_held_adds_up(named):
    there = set("abcd")
    found = held(named, there, dict.fromkeys(named, "x"))
    inside = set().union(*map(set, named.values()))
    assert found.uncovered == len(there - inside)
    assert found.several == sum(1 for key in inside if sum(key in keys for keys in named.values()) > 1)
