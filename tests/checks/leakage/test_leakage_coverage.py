"""`leakage.coverage` names every type of leakage that nobody looks for, and believes no rule that does not look."""

from __future__ import annotations

import polars as pl
import pytest
from support.audits import audited, kinds
from support.judging import judge

from audit.checks.leakage.coverage import TYPES, Coverage
from audit.errors import NotApplicable

DATASETS = {"train": {"path": "train.parquet", "role": "train"}, "val": {"path": "val.parquet", "role": "val"}}
SHIFT = {"check": "table.shift", "with": {"tolerance": 0.9}}


def covering(tmp_path, *rules, datasets=DATASETS, **parameters):
    """The result of leakage.coverage beside other rules."""
    for name, start in (("train", 0), ("val", 1)):
        pl.DataFrame({"x": [float((at * 7 + start) % 31) for at in range(400)]}).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    report = audited(tmp_path, {"check": "leakage.coverage", "with": parameters}, *rules, datasets=datasets)
    return report.results[0]


def unchecked(found):
    return [one.subject.partition("#")[2] for one in found.violations]


def test_without_other_rules_every_type_is_noted_with_what_to_do(tmp_path):
    found = covering(tmp_path)
    assert unchecked(found) == list(TYPES)
    assert found.outcome == "pass"
    assert {one.severity for one in found.violations} == {"note"}
    assert all("add a rule" in one.message or "data does not show it" in one.message for one in found.violations)
    assert found.figures == {"types": 8, "types_checked": 0}


def test_a_rule_that_looks_covers_its_type(tmp_path):
    found = covering(tmp_path, SHIFT)
    assert "L3.3" not in unchecked(found)
    (table,) = found.exhibits
    assert next(row[2] for row in table.data["rows"] if row[0] == "L3.3") == "table.shift[train/val]"


def test_what_is_required_and_not_checked_fails(tmp_path):
    found = covering(tmp_path, SHIFT, require=["L2", "L3.3"])
    assert found.outcome == "fail"
    assert kinds([one for one in found.violations if one.severity == "error"]) == [("audit.yaml#L2", "unchecked")]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"enabled": False}, "switched off"),
        ({"on": ["nightly"]}, "runs on nightly"),
        ({"severity": "note"}, "no more than a note"),
        ({"with": {"reference": "train", "current": "gone"}}, "could not look"),
        ({"with": {"columns": ["y"]}}, "could not look"),
        ({"with": {"reference": "train", "current": "perhaps"}}, "nothing to judge"),
    ],
)
def test_a_rule_that_does_not_look_covers_nothing(tmp_path, change, told):
    datasets = DATASETS | {"gone": {"path": "gone.parquet"}, "perhaps": {"path": "perhaps.parquet", "optional": True}}
    found = covering(tmp_path, SHIFT | change, datasets=datasets)
    (violation,) = (one for one in found.violations if one.subject == "audit.yaml#L3.3")
    assert told in violation.message


def test_a_pack_asks_for_what_does_not_exist_without_an_error(tmp_path):
    with pytest.raises(NotApplicable):
        judge(Coverage(), tmp_path)


def test_a_split_of_files_is_looked_at_too(tmp_path):
    datasets = {"train": {"path": "train/*.wav", "role": "train"}, "test": {"path": "test/*.wav", "role": "test"}}
    assert unchecked(covering(tmp_path, datasets=datasets)) == list(TYPES)


def test_files_without_roles_have_no_split(tmp_path):
    assert covering(tmp_path, datasets={"clips": {"path": "clips/*.wav"}}).outcome == "skip"
