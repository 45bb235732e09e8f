"""The rules of the pack `tabular` on projects that it has never seen."""

import msgspec
from support.schemas import write

from audit.api import Settings, hold
from audit.records.report import Selection

RULES = ("tables-read-whole", "tables-like-train")


def _results(root, **datasets):
    content = {"version": 1, "name": "p", "extends": ["tabular"], "datasets": datasets}
    (root / "audit.yaml").write_bytes(msgspec.json.encode(content))
    report = hold(root.resolve(), Settings(selection=Selection(select=RULES))).report
    return {one.rule: str(one.outcome) for one in report.results if one.rule.partition("[")[0] in RULES}


def test_every_table_is_read_and_those_with_a_role_are_like_the_training_table(tmp_path):
    table = {"x": [1, 2], "kind": ["a", "b"]}
    for name in ("train", "val", "test"):
        write(tmp_path / f"{name}.parquet", table | ({"extra": [1, 2]} if name == "test" else {}))
    write(tmp_path / "users.parquet", {"name": ["a"]})
    roles = {"train": "train", "val": "val", "test": "test"}
    tables = {
        name: {"path": f"{name}.parquet"} | ({"role": roles[name]} if name in roles else {})
        for name in (*roles, "users")
    }
    assert _results(tmp_path, **tables) == {
        "tables-read-whole[test]": "pass",
        "tables-read-whole[train]": "pass",
        "tables-read-whole[users]": "pass",
        "tables-read-whole[val]": "pass",
        "tables-like-train[test]": "fail",
        "tables-like-train[train]": "skip",
        "tables-like-train[users]": "skip",
        "tables-like-train[val]": "pass",
    }


def test_a_project_without_tables_is_skipped(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    assert _results(tmp_path, clips={"path": "*.wav"}) == dict.fromkeys(RULES, "skip")


def test_a_project_with_one_table_is_skipped_by_the_comparison_alone(tmp_path):
    write(tmp_path / "t.parquet", {"x": [1]})
    found = _results(tmp_path, t={"path": "t.parquet"})
    assert found == {"tables-read-whole[t]": "pass", "tables-like-train[t]": "skip"}
