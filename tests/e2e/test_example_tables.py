"""The example of tables is a project that can be audited, and its audit says what is known of the data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.audits import kinds

import audit

EXAMPLE = Path(__file__).parents[2] / "examples" / "diabetes"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the example with its data made and recorded."""
    root = tmp_path_factory.mktemp("example") / "diabetes"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("*.csv", "reports", ".audit", "audit.lock"))
    subprocess.run([sys.executable, "split_by_age.py"], cwd=root, check=True)
    subprocess.run([sys.executable, "-m", "audit", "lock", "data"], cwd=root, check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def report(project):
    """What an audit at night says of it."""
    return audit.run(project, on="nightly")


def of(report, rule):
    (found,) = (one for one in report.results if one.rule.partition("[")[0] == rule)
    return found


def test_it_fails_for_what_is_different_about_older_patients_and_for_nothing_else(report):
    assert report.verdict == "fail"
    outcomes = {one.rule.partition("[")[0]: one.outcome for one in report.results if one.outcome != "skip"}
    assert {rule for rule, outcome in outcomes.items() if outcome != "pass"} == {"val-like-train", "rows-alike"}
    assert {"recorded", "measured-as-agreed", "same-columns", "no-patient-twice"} <= outcomes.keys()


def test_its_drift_is_that_of_age_and_what_comes_with_it(report):
    drift = of(report, "val-like-train")
    drifted = {subject.partition("#")[2] for subject, _ in kinds(drift.violations)}
    assert drifted == {"age", "sex", "bmi", "blood_pressure", "tch"}
    assert any(exhibit.type == "histogram" and "blood_pressure" in exhibit.title for exhibit in drift.exhibits)


def test_rows_are_told_apart_without_their_age(report):
    shift = of(report, "rows-alike")
    assert kinds(shift.violations) == [("data/val.csv", "shift")]
    assert 0.65 < shift.figures["auc"] < 0.75
    (bars,) = (one for one in shift.exhibits if one.type == "bars")
    assert bars.data["labels"][0] == "blood_pressure"


def test_no_measurement_is_the_answer(report):
    found = of(report, "no-answer-among-the-features")
    assert (found.outcome, found.violations) == ("pass", ())
    assert "'ltg'" in found.summary


def test_what_no_rule_looks_for_is_said(report):
    missing = {subject.partition("#")[2] for subject, _ in kinds(of(report, "leakage-coverage").violations)}
    assert missing == {"L1.2", "L1.3", "L3.1", "L3.2"}


def test_the_page_draws_the_drift(report):
    page = report.to_html()
    assert "blood_pressure" in page
    assert "<svg" in page
