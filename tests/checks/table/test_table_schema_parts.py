"""`table.schema` on tables of several files, and on parts of a table."""

import polars as pl
from support.audits import audited
from support.schemas import lines

from audit.records.words import Outcome


def _results(root, rules, datasets):
    report = audited(
        root, *({"id": f"r{n}", "check": "table.schema", "with": one} for n, one in enumerate(rules)), datasets=datasets
    )
    return list(report.results)


def test_parts_of_one_table_are_held_against_each_other(tmp_path):
    table = {"x": [1, 2, None], "kind": ["a", "b", "c"], "split": ["train", "train", "val"]}
    pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    parts = {name: {"path": "t.parquet", "role": name, "where": {"split": [name]}} for name in ("train", "val")}
    rules = [{"dataset": "val", "infer": "train"}, {"dataset": "train", "columns": {"x": {"max": 1}}}]
    like, held = _results(tmp_path, rules, parts)
    assert ("warning", "unseen-level", "1 unseen level: c (1 row, 100 %)") in lines(like)
    assert lines(held) == [("error", "max", "1 of 2 values (50 %) above 1: '2' in row 2")]


def test_rows_are_counted_over_all_files(tmp_path):
    for number, kind in enumerate("ab"):
        pl.DataFrame({"x": [1, 2], "kind": [kind, kind]}).write_parquet(tmp_path / f"{number}.parquet")
        pl.DataFrame({"x": [1, 2], "kind": [kind, kind]}).write_csv(tmp_path / f"{number}.csv")
    rule = {"columns": {"x": {"unique": True}, "kind": {"allowed": ["a"]}}}
    for suffix in ("parquet", "csv"):
        (result,) = _results(tmp_path, [{"dataset": "t"} | rule], {"t": {"path": f"*.{suffix}"}})
        assert result.outcome is Outcome.FAIL
        assert lines(result) == [
            ("error", "allowed", "2 of 4 values (50 %) not one of a: 'b' in row 3, 'b' in row 4"),
            ("error", "unique", "2 of 4 values (50 %) like one in a row above: '1' in row 3, '2' in row 4"),
        ]


def test_an_optional_table_that_is_not_there_is_skipped(tmp_path):
    (result,) = _results(tmp_path, [{"dataset": "t"}], {"t": {"path": "no.parquet", "optional": True}})
    assert result.outcome is Outcome.SKIP
