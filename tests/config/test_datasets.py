from __future__ import annotations

import pytest

from audit.config.datasets import SUFFIXES, kind_of
from audit.records.dataset import Dataset
from audit.records.words import Kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data/train.parquet", "table"),
        ("data/train.CSV", "table"),
        ("data/*.csv.gz", "table"),
        ("data/rows.jsonl.zst", "table"),
        ("s3://bucket/data/rows.ndjson.xz", "table"),
        ("data/clips/**/*.wav", "audio"),
        ("data/photo.JPeG", "image"),
        ("data/cube.zarr", "array"),
        ("data/cube.zarr/", "array"),
        ("data/images.csv/", "table"),
        ("data", "files"),
        ("data/", "files"),
        ("data/v1.2", "files"),
        ("data/**/*", "files"),
        ("data.csv/part", "files"),
        ("data/all.tar.gz", "files"),
        ("data/blob.gz", "files"),
        ("data/.csv", "files"),
        ("data/csv", "files"),
        ("data/x.", "files"),
        (".", "files"),
    ],
)
def test_kind_follows_from_the_suffix(path, kind):
    assert kind_of(path) == kind


def test_a_suffix_tells_one_kind_only():
    told = [suffix for suffixes in SUFFIXES.values() for suffix in suffixes]
    assert len(told) == len(set(told))


def test_a_dataset_as_rules_see_it(load):
    config = load("""
version: 1
datasets:
  val: {path: ./data//val.csv, role: val, where: {split: [val, 3, true, 0.5], fold: [1.0]}, optional: true}
  blob: {path: data/blob/, kind: table}
  Far.away: {path: "s3://bucket//key/", role: test}
""")
    assert config.datasets == (
        Dataset(name="Far.away", path="s3://bucket//key/", kind=Kind.FILES, role="test"),
        Dataset(name="blob", path="data/blob", kind=Kind.TABLE),
        Dataset(
            name="val",
            path="data/val.csv",
            kind=Kind.TABLE,
            role="val",
            where=(("fold", (1,)), ("split", ("val", 3, True, 0.5))),
            optional=True,
        ),
    )


@pytest.mark.parametrize("name", ["a", "9", "null", "on", "a.b-c_d", "x" * 100])
def test_odd_names_that_are_names(load, name):
    (dataset,) = load(f'version: 1\ndatasets: {{"{name}": {{path: x}}}}\n').datasets
    assert dataset.name == name


@pytest.mark.parametrize("path", ["..data/x", "a..b", "a/...", "ab:c", "data/~x", " x"])
def test_odd_paths_that_stay_inside(load, path):
    (dataset,) = load(f'version: 1\ndatasets: {{a: {{path: "{path}"}}}}\n').datasets
    assert dataset.path == path
