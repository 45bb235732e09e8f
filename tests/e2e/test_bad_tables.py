"""Tables as they should not be, in one audit: each gets a clear outcome, and none stops the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.audits import audited

from audit.records.report import Report, Result
from audit.sinks import html, text

GOOD = {"x": [float(n) for n in range(60)], "kind": ["a", "b", "c"] * 20}
WIDE = 10_000
ODD = ("<script>alert(1)</script>", "'\"`", "two\nlines", "", "*", "^x$", "a#b", "\x1b[31mred", "|", "\u202eabc")

TEXTS: Mapping[str, bytes] = {
    "empty.csv": b"",
    "blank.csv": b"\n\n",
    "header.csv": b"x,kind\n",
    "one_row.csv": b"x,kind\n1.5,a\n",
    "ragged.csv": b"x,kind\n" + b"1.5,a\n" * 40 + b"2.5\n3,b,c\n",
    "encoding.csv": b"x,kind\n" + b"1.5,a\n" * 40 + b"2.5,M\xfcller\n",
    "utf16.csv": "x,kind\n1.5,a\n".encode("utf-16"),
    "twice.csv": b"x,x\n" + b"1.5,2\n" * 40,
    "mixed.csv": b"x,kind\n" + b"1.5,a\n" * 40 + b"many,a\n",
    "nul.csv": b"x,kind\n1.5,a\x00b\n",
    "quote.csv": b'x,kind\n1.5,"a\n2.5,b\n',
    "binary.csv": bytes(range(256)) * 8,
    "cut.jsonl": b'{"x": 1.5, "kind": "a"}\n{"x": 1.5, "ki',
    "scalars.jsonl": b"1\n2\n",
    "cut.parquet": b"",
    "garbage.parquet": b"PAR1" + bytes(200) + b"PAR1",
    "nothing.parquet": b"",
    "garbage.arrow": b"ARROW1\x00\x00 no more",
}

SCHEMA: Mapping[str, str] = {
    "empty.csv": "error",
    "blank.csv": "error",
    "header.csv": "warn",
    "one_row.csv": "pass",
    "ragged.csv": "fail",
    "encoding.csv": "fail",
    "utf16.csv": "pass",
    "twice.csv": "fail",
    "mixed.csv": "warn",
    "nul.csv": "pass",
    "quote.csv": "error",
    "binary.csv": "error",
    "cut.jsonl": "fail",
    "scalars.jsonl": "error",
    "cut.parquet": "error",
    "garbage.parquet": "error",
    "nothing.parquet": "error",
    "garbage.arrow": "error",
    "names.parquet": "pass",
    "same.parquet": "error",
    "null.parquet": "pass",
    "wide.parquet": "pass",
    "nested.parquet": "pass",
    "none.parquet": "error",
    "good.parquet": "pass",
}
"""What `table.schema` says where nothing is declared."""

ALIKE = {"one_row.csv", "utf16.csv"}
"""Those in which a schema like that of the good one can be seen."""


def _write(root: Path) -> None:
    for name, content in TEXTS.items():
        (root / name).write_bytes(content)
    good = pl.DataFrame(GOOD)
    good.write_parquet(root / "good.parquet")
    whole = (root / "good.parquet").read_bytes()
    (root / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    pl.DataFrame(dict.fromkeys(ODD, GOOD["x"])).write_parquet(root / "names.parquet")
    twice = pa.Table.from_arrays([pa.array([1.5]), pa.array([2.5])], names=["x", "x"])
    pq.write_table(twice, root / "same.parquet")
    pl.DataFrame({"x": [None] * 60, "kind": pl.Series([None] * 60, dtype=pl.String)}).write_parquet(
        root / "null.parquet"
    )
    pl.DataFrame({f"c{n}": [1, 2, 3] for n in range(WIDE)}).write_parquet(root / "wide.parquet")
    pl.DataFrame({"x": [[1], [2]], "kind": [{"a": 1}, {"a": 2}], "b": [b"\xff", b"\x00"]}).write_parquet(
        root / "nested.parquet"
    )
    pq.write_table(pa.table({}), root / "none.parquet")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    root = tmp_path_factory.mktemp("bad")
    _write(root)
    datasets = {name: {"path": name} for name in SCHEMA}
    rules = [{"id": "schema", "check": "table.schema"}]
    rules += [{"id": "like", "check": "table.schema", "with": {"infer": "good.parquet"}}]
    rules += [
        {"id": f"drift-{name}", "check": "table.drift", "with": {"reference": "good.parquet", "current": name}}
        for name in SCHEMA
    ]
    return audited(root, *rules, datasets=datasets)


def _result(report: Report, rule: str) -> Result:
    (found,) = [one for one in report.results if one.rule == rule]
    return found


@pytest.mark.parametrize("name", SCHEMA)
def test_its_schema_gets_a_clear_outcome(report, name):
    result = _result(report, f"schema[{name}]")
    assert result.outcome == SCHEMA[name]
    assert "fault in the auditor" not in str(result.reason)
    assert result.outcome != "error" or name in str(result.reason)


@pytest.mark.parametrize("name", sorted(SCHEMA.keys() - {"good.parquet"}))
def test_held_against_a_good_one_it_gets_a_clear_outcome(report, name):
    for result in (_result(report, f"like[{name}]"), _result(report, f"drift-{name}")):
        assert (result.outcome == "error") is (SCHEMA[name] == "error")
        assert "fault in the auditor" not in str(result.reason)
        assert result.outcome != "pass" or name in ALIKE


def test_the_good_one_is_still_judged(report):
    assert _result(report, "schema[good.parquet]").outcome == "pass"
    assert _result(report, "like[good.parquet]").outcome == "skip"
    assert _result(report, "drift-good.parquet").outcome in {"pass", "warn"}


def test_the_report_can_be_written_and_obeys_no_name_in_it(report):
    assert report.to_json()
    assert "\x1b[31m" not in text.render(report)
    assert b"<script>alert(1)" not in html.render(report)
