"""DataFrames that Python users hand to an audit: the types of their columns are those of the same frame as Parquet."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pandas as pd
import polars as pl
import pytest

import audit
from audit.config.load import load_config
from audit.errors import UsageError
from audit.frames import with_frames
from audit.records.table import Source
from audit.records.words import Role
from audit.tables.table import Table

SCHEMA = {"id": "s", "check": "table.schema", "with": {"dataset": "train", "columns": {"a": "integer"}}}


def project(root, datasets=None, rules=()):
    content = {"version": 1, "name": "p", "datasets": datasets or {}, "rules": list(rules)}
    (root / "audit.yaml").write_bytes(msgspec.json.encode(content))
    return load_config(root)


def handed(root, frame, name="train"):
    (dataset,) = with_frames(project(root), {name: frame}, str(root)).datasets
    return dataset, Table(dataset.frame)


def types(table):
    return {one.name: (str(one.type), one.physical) for one in table.columns}


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "i": pd.array([1, None], "Int64"),
            "n": [1, 2],
            "f": [0.5, float("nan")],
            "s": ["a", None],
            "t": pd.to_datetime(["2020-01-01", None]).tz_localize("UTC"),
            "c": pd.Categorical(["u", "v"]),
            "b": pd.array([True, None], "boolean"),
            7: [1, 2],
        }
    )


def test_a_frame_of_pandas_has_the_types_of_its_parquet(tmp_path, frame):
    _, table = handed(tmp_path, frame)
    frame.rename(columns=str).to_parquet(tmp_path / "t.parquet")
    assert types(table) == types(Table(Source(files=(str(tmp_path / "t.parquet"),), format="parquet")))
    assert table.values("i").to_list() == [1, None]


def test_a_frame_of_polars_keeps_its_types(tmp_path):
    frame = pl.DataFrame({"i": [1, None], "t": [datetime(2020, 1, 1, tzinfo=UTC), None], "l": [[1], None]})
    dataset, table = handed(tmp_path, frame, "val")
    assert table.frame.collect().equals(frame)
    assert (dataset.role, dataset.path) == (Role.VAL, "val")


class Canary:
    """An object that must not be pickled."""

    def __reduce__(self):
        raise AssertionError("it was pickled")

    def __str__(self):
        return "canary"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_values_of_mixed_types_become_text_and_are_remarked(tmp_path, library):
    values = [1, "x", None, 2, Canary()]
    frame = (
        pd.DataFrame({"a": values}) if library == "pandas" else pl.DataFrame({"a": pl.Series(values, dtype=pl.Object)})
    )
    dataset, table = handed(tmp_path, frame)
    assert table.values("a").to_list() == ["1", "x", None, "2", "canary"]
    (remark,) = dataset.frame.remarks
    assert (remark.kind, remark.column, remark.count, remark.lines) == ("mixed", "a", 2, (2, 5))


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ([1], "no DataFrame"),
        (pl.LazyFrame({"a": [1]}), "no DataFrame"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "2 columns"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, frame, says):
    with pytest.raises(UsageError, match=says):
        handed(tmp_path, frame)


def test_a_frame_takes_the_place_of_a_table_alone(tmp_path):
    config = project(tmp_path, {"clips": {"path": "*.wav"}})
    with pytest.raises(UsageError, match="is of kind audio"):
        with_frames(config, {"clips": pl.DataFrame({"a": [1]})}, str(tmp_path))


def test_an_audit_looks_at_the_frame_in_place_of_the_file(tmp_path):
    project(tmp_path, {"train": {"path": "t.csv"}}, [SCHEMA])
    (tmp_path / "t.csv").write_text("a\nx\n")
    outcomes = {}
    for name, frames in {
        "file": None,
        "good": {"train": pd.DataFrame({"a": [1]})},
        "bad": {"train": pl.DataFrame({"a": ["x"]})},
    }.items():
        report = audit.run(tmp_path, frames=frames, output=tmp_path / "out")
        outcomes[name] = str(report.results[0].outcome)
    assert outcomes == {"file": "fail", "good": "pass", "bad": "fail"}


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    project(tmp_path, {}, [])
    audit.run(tmp_path, frames={"train": pd.DataFrame({"a": [1]})}, output=tmp_path / "out")
    assert list(Path(place).iterdir()) == []
