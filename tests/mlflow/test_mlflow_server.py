from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import reports

from audit.mlflow import sink
from audit.mlflow.tracking import MAX_METRICS, batches
from audit.records.words import Outcome, Verdict

Write = Callable[..., str]
Read = Callable[[str, str], list[Any]]


def test_a_server_holds_the_run_and_its_files(
    project: Path, written: Write, read_back: Read, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    report = reports.incomplete()
    folder = written(report)
    for _ in range(2):
        assert sink.send(report, folder, target="auto", project_root=str(project)) is None
    (run,) = read_back(server, "audit/keyword-spotting")
    assert run.info.status == "KILLED"
    assert run.data.tags["audit.verdict"] == "incomplete"
    client = MlflowClient(server)
    assert [file.path for file in client.list_artifacts(run.info.run_id)] == ["report.html", "report.json"]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)  # the proxy of artifacts goes by it
    assert Path(client.download_artifacts(run.info.run_id, "report.json")).read_bytes() == report.to_json()
    assert not (project / ".audit").exists()


def test_thousands_of_figures_arrive_and_what_is_not_finite_is_a_tag(
    project: Path, written: Write, read_back: Read, server: str
) -> None:
    figures = {f"psi.column {number} (%)": number / 7 for number in range(2 * MAX_METRICS + 345)}
    words = {f"test {number}": "ks" for number in range(120)}
    lost = {"nan": float("nan"), "inf": float("inf")}
    result = reports.result("drift[val]", "table.drift", Outcome.PASS, "", figures=figures | words | lost)
    report = reports.report(Verdict.PASS, [result], project="wide")
    assert sink.send(report, written(report), target=server, project_root=str(project)) is None
    (run,) = read_back(server, "audit/wide")
    drift = {name: number for name, number in run.data.metrics.items() if name.startswith("drift")}
    assert len(drift) == len(figures)
    assert drift["drift.val.psi.column 700 ___"] == 100
    assert run.data.tags["audit.figure.drift.val.nan"] == "not computable (nan)"
    assert run.data.tags["audit.figure.drift.val.test 119"] == "ks"


def test_batches_lose_nothing() -> None:
    assert list(batches(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batches([], 2)) == []
