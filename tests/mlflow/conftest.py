"""A real MLflow server, and reports written where a sink finds them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import reports
from support.badservers import closed_port

from audit.mlflow import sink
from audit.records.report import Report
from audit.records.words import Verdict

STARTED_WITHIN_S = 120

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"


@pytest.fixture(autouse=True)
def no_tracking_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MLFLOW_") and name != "MLFLOW_DISABLE_TELEMETRY"]:
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture(scope="session")
def store_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded store after its first start, for tests that are about a later one."""
    root = tmp_path_factory.mktemp("template")
    (root / "report.json").write_text("{}")
    report = reports.report(Verdict.INCOMPLETE, [], project="template")
    assert sink.send(report, str(root), target="auto", project_root=str(root)) is None
    return root / ".audit"


@pytest.fixture
def started(project: Path, store_template: Path) -> Path:
    """A project with such a store."""
    shutil.copytree(store_template, project / ".audit")
    return project


@pytest.fixture
def written(project: Path) -> Callable[[Report], str]:
    """Writes a report's files as the folder sink does, and says where."""

    def write(report: Report, name: str = "20261130T020007Z-launch") -> str:
        folder = project / "reports" / name
        folder.mkdir(parents=True)
        (folder / "report.html").write_text("<!doctype html><title>audit</title>")
        (folder / "report.json").write_bytes(report.to_json())
        return str(folder)

    return write


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of `mlflow server` with SQLite and served artifacts."""
    folder = tmp_path_factory.mktemp("server")
    port = closed_port()
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    stores = ["--backend-store-uri", f"sqlite:///{folder}/server.db", "--artifacts-destination", f"{folder}/artifacts"]
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *stores], cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait(f"http://127.0.0.1:{port}", process, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(STARTED_WITHIN_S * 5):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):  # noqa: S310 - our own server
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"no server after {STARTED_WITHIN_S} s: {log.read_text()}")


@pytest.fixture
def read_back() -> Callable[..., list[Any]]:
    """The runs of an experiment as MLflow's own client reads them."""

    def runs(uri: str, experiment: str) -> list[Any]:
        from mlflow import MlflowClient

        client = MlflowClient(uri)
        found = client.get_experiment_by_name(experiment)
        return list(client.search_runs([found.experiment_id])) if found else []

    return runs
