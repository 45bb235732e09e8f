"""Columns that are called what polars takes for patterns: every rule looks at them, and at them alone."""

import numpy as np
import polars as pl
import pytest
from support.audits import audited, only

NAMES = ("^a$", "*", "^.*$", "", "\0", "a")
DATASETS = {
    "train": {"path": "train.parquet", "kind": "table", "role": "train"},
    "val": {"path": "val.parquet", "kind": "table", "role": "val"},
}


@pytest.fixture
def project(tmp_path):
    for name, seed in (("train", 1), ("val", 2)):
        dice = np.random.default_rng(seed)
        rows = {name: dice.normal(size=240) for name in NAMES}
        rows |= {"group": np.arange(240) // 4, "label": dice.integers(0, 2, 240) == 1}
        pl.DataFrame(rows).write_parquet(tmp_path / f"{name}.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "rule",
    [
        {"check": "table.schema", "with": {"dataset": "val", "columns": {name: {"max": 9.0} for name in NAMES}}},
        {"check": "table.schema", "with": {"dataset": "val", "infer": "train"}},
        {"check": "table.drift", "with": {"blocks": "group"}},
        {"check": "table.drift", "with": {"by": "label"}},
        {"check": "table.drift", "with": {"tolerance": {"numbers": 0.5}}},
        {"check": "table.shift"},
        {"check": "split.overlap"},
        {"check": "leakage.target", "with": {"label": "label", "ignore": ["group"]}},
        {"check": "leakage.target", "with": {"label": "^a$"}},
    ],
)
def test_every_rule_looks(project, rule):
    result = only(audited(project, rule, datasets=DATASETS))
    assert result.outcome in {"pass", "warn"}, (result.summary, result.violations)


def test_each_is_held_to_its_own_bounds(project):
    columns = {name: {"max": 9.0} for name in NAMES} | {"^a$": {"max": -9.0}}
    result = only(
        audited(project, {"check": "table.schema", "with": {"dataset": "val", "columns": columns}}, datasets=DATASETS)
    )
    assert [one.subject for one in result.violations] == ["val.parquet#^a$"]
