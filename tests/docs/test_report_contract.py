from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from support import reports

from audit.records.report import Report
from audit.sinks.json import render

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))
SAMPLES = {name: make for name, make in reports.SAMPLES.items() if name != "many"} | {"many": lambda: reports.many(100)}


def validator(schema: dict[str, Any] = SCHEMA) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("sample", SAMPLES)
def test_reports_keep_the_contract_and_every_field_is_in_it(sample: str) -> None:
    said = json.loads(render(SAMPLES[sample]()))
    validator().validate(said)
    closed = json.loads(json.dumps(SCHEMA))
    for record in closed["$defs"].values():
        if "properties" in record:
            record["additionalProperties"] = False
    validator(closed).validate(said)


@pytest.mark.parametrize(
    ("place", "value"),
    [(["body", "verdict"], "ok"), (["schema"], "reproaudit/report/2"), (["body", "results", 0, "violations"], None)],
)
def test_what_is_no_report_does_not(place: list[str | int], value: object) -> None:
    said = json.loads(render(reports.failing()))
    part = said
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    assert not validator().is_valid(said)


def test_a_later_field_does_not_break_a_reader() -> None:
    said = json.loads(render(reports.failing()))
    said["body"]["results"][0]["later"] = 1
    validator().validate(said)


def test_every_field_is_documented() -> None:
    for name, record in SCHEMA["$defs"].items():
        assert record["description"], name
        for field, kind in record.get("properties", {}).items():
            assert kind["description"].endswith("."), f"{name}.{field}"


def test_the_way_to_check_a_digest_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "report.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for sample in ("failing", "hostile"):
        report: Report = reports.SAMPLES[sample]()
        (tmp_path / "report.json").write_bytes(render(report))
        exec(compile(code, "report.md", "exec"), {})  # noqa: S102 - it is our own documentation
    altered = render(reports.failing()).replace(b"27 of 50,412", b"26 of 50,412")
    (tmp_path / "report.json").write_bytes(altered)
    with pytest.raises(AssertionError):
        exec(compile(code, "report.md", "exec"), {})  # noqa: S102 - it is our own documentation


def test_the_example_on_the_page_is_the_beginning_of_a_report() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", (DOCS / "report.md").read_text(encoding="utf-8"), re.DOTALL)
    said = json.loads(example)
    whole = json.loads(msgspec.json.encode(reports.failing()))
    assert said["schema"] == whole["schema"]
    for part in ("body", "envelope"):
        assert said[part].keys() - {"..."} <= whole[part].keys()
