from __future__ import annotations

import math

import msgspec
import pytest
from support import reports

from audit.mlflow import names
from audit.mlflow.entry import MAX_FIGURE_TAGS, MAX_METRICS, entry, identity, status
from audit.records.report import Report
from audit.records.words import Outcome, Verdict


def of(**figures: float | str) -> Report:
    return reports.report(
        Verdict.PASS, [reports.result("drift[val]", "table.drift", Outcome.PASS, "", figures=figures)]
    )


def test_an_audit_becomes_a_run_of_its_project() -> None:
    run = entry(reports.failing(), "20261130T020007Z-launch")
    assert run.experiment == "audit/keyword-spotting"
    assert run.name == "launch 2026-11-30T02:00:07Z"
    assert (run.start_ms, run.end_ms) == (1796004007000, 1796004007000 + 74_219)
    assert run.params["fail_on"] == "error"
    assert run.metrics["audit.count.fail"] == 2
    assert run.metrics["audit.duration_s"] == 74.219
    assert run.metrics["dvc-hash.files_differing"] == 27
    assert run.metrics["drift.val.psi"] == 0.284613
    assert run.tags["audit.verdict"] == "fail"
    assert run.tags["audit.body_digest"] == reports.failing().envelope.body_digest


def test_words_and_what_is_not_finite_are_tags_field_case_c59() -> None:
    run = entry(of(psi=math.inf, drift=math.nan, rows=10**400, test="ks", share=0.5), "x")
    assert run.tags["audit.figure.drift.val.psi"] == "not computable (inf)"
    assert run.tags["audit.figure.drift.val.drift"] == "not computable (nan)"
    assert run.tags["audit.figure.drift.val.rows"].startswith("not computable (1000")
    assert run.tags["audit.figure.drift.val.test"] == "ks"
    assert [name for name in run.metrics if name.startswith("drift")] == ["drift.val.share"]
    assert all(math.isfinite(number) for number in run.metrics.values())


def test_the_status_never_ticks_off_what_did_not_pass() -> None:
    assert status(reports.passing()) == "FINISHED"
    assert status(reports.failing()) == "FAILED"
    interrupted = reports.incomplete()
    assert status(interrupted) == "KILLED"
    envelope = msgspec.structs.replace(interrupted.envelope, interrupted=False)
    assert status(msgspec.structs.replace(interrupted, envelope=envelope)) == "FAILED"


def test_an_audit_keeps_its_identity_and_shares_it_with_no_other() -> None:
    report = reports.passing()
    other = msgspec.structs.replace(report, envelope=msgspec.structs.replace(report.envelope, host="trainer-04"))
    assert identity(report, "a") == identity(reports.passing(), "a")
    assert len({identity(report, "a"), identity(report, "a-2"), identity(other, "a")}) == 3


@pytest.mark.parametrize("sample", reports.SAMPLES)
def test_whatever_a_report_says_mlflow_accepts(sample: str) -> None:
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.utils.validation import _validate_batch_log_data

    run = entry(reports.SAMPLES[sample](), "x")
    tags = [RunTag(name, value) for name, value in run.tags.items()]
    params = [Param(name, value) for name, value in run.params.items()]
    _validate_batch_log_data([Metric(name, value, 0, 0) for name, value in run.metrics.items()], params, tags[:100])
    assert all(len(value) <= names.MAX_PARAM for value in run.params.values())
    msgspec.json.encode(run)


def test_figures_without_end_are_bounded() -> None:
    run = entry(of(**{f"n{n}": n for n in range(MAX_METRICS * 2)}, **{f"w{n}": "x" * 9999 for n in range(999)}), "x")
    assert len(run.metrics) == MAX_METRICS
    assert len(run.tags) < MAX_FIGURE_TAGS + 10
    assert sum(len(value) for value in run.tags.values()) < 200_000
