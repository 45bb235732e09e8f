from __future__ import annotations

import pytest

from audit.proposal.datasets import MOST_DATASETS, datasets


def proposed(*files: str) -> dict[str, str]:
    return {one.name: f"{one.path} {one.kind} {one.role or '-'} {one.files}" for one in datasets(sorted(files))}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            ["clips/train/yes/a.wav", "clips/train/no/b.wav", "clips/val/yes/c.wav", "clips/readme.txt"],
            {"train": "clips/train/**/*.wav audio train 2", "val": "clips/val/**/*.wav audio val 1"},
        ),
        (
            ["data/train.csv", "data/validation.csv", "data/test.csv"],
            {
                "train": "data/train.csv table train 1",
                "val": "data/validation.csv table val 1",
                "test": "data/test.csv table test 1",
            },
        ),
        (
            ["data/train-00001-of-00003.parquet", "data/train-00002-of-00003.parquet", "data/dev.parquet"],
            {
                "train": "data/train-*-of-*.parquet table train 2",
                "val": "data/dev.parquet table val 1",
            },
        ),
        (
            ["a/train/1.png", "a/test/2.png", "b/train/3.png"],
            {
                "a-train": "a/train/*.png image train 1",
                "b-train": "b/train/*.png image train 1",
                "test": "a/test/*.png image test 1",
            },
        ),
        (
            ["data/labels.csv", "data/clips/a.wav", "data/clips/b.wav"],
            {
                "labels": "data/labels.csv table - 1",
                "clips": "data/clips/*.wav audio - 2",
            },
        ),
        (["noise/a.wav", "noise/b.flac"], {"noise": "noise audio - 2"}),
        (
            ["noise/a.wav", "noise/b.flac", "noise/list.txt"],
            {"noise": "noise/*.flac audio - 1", "noise-wav": "noise/*.wav audio - 1"},
        ),
        (["rows/1.csv.gz", "rows/2.csv.gz"], {"rows": "rows/*.csv.gz table - 2"}),
        (["weights.safetensors", "notes.txt", "train.py"], {"weights": "weights.safetensors array - 1"}),
        (["data/a[1]/x.csv", "data/a[1]/y*.csv"], {"a-1": "data/a[[]1]/*.csv table - 2"}),
        (["what?.csv"], {"what": "what[?].csv table - 1"}),
        (["back\\slash.csv", "broken\udcff.csv"], {}),
        ([], {}),
    ],
)
def test_datasets_follow_from_paths(files: list[str], expected: dict[str, str]) -> None:
    assert proposed(*files) == expected


def test_a_page_of_datasets_is_enough() -> None:
    assert len(datasets(f"folder{number}/inner/x.csv" for number in range(100))) == MOST_DATASETS
