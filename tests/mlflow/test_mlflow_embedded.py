from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support import reports

from audit.mlflow import sink
from audit.records.report import Attached, Report

Write = Callable[..., str]
Read = Callable[[str, str], list[Any]]
EXPERIMENT = "audit/keyword-spotting"


def store(project: Path) -> str:
    return f"sqlite:///{project}/.audit/mlflow/mlflow.db"


def send(report: Report, folder: str, project: Path) -> str | None:
    return sink.send(report, folder, target="auto", project_root=str(project))


def test_an_audit_is_read_back_whole_and_nothing_of_mlflow_reaches_our_output(
    project: Path, written: Write, read_back: Read, capfd: pytest.CaptureFixture[str]
) -> None:
    report = reports.failing()
    folder = written(report)
    assert send(report, folder, project) is None
    assert capfd.readouterr() == ("", "")
    (run,) = read_back(store(project), EXPERIMENT)
    assert run.info.status == "FAILED"
    assert run.data.params["trigger"] == "launch"
    assert run.data.metrics["dvc-hash.files_differing"] == 27
    assert run.data.tags["audit.verdict"] == "fail"
    assert run.data.tags["audit.body_digest"] == report.envelope.body_digest
    assert "mlflow.user" not in run.data.tags
    logged = Path(run.info.artifact_uri.removeprefix("file://"))
    assert (logged / "report.json").read_bytes() == report.to_json()
    assert (logged / "report.html").exists()
    assert sorted(path.name for path in project.iterdir()) == [".audit", "reports"]


def test_what_lies_beside_the_report_is_logged_with_it(started: Path, written: Write, read_back: Read) -> None:
    page = Attached(name="profile-drift.html", title="Profile", media="text/html")
    plain = reports.passing()
    first, *rest = plain.results
    results = (replace(first, attachments=(page, replace(page, name="profile-lost.html"))), *rest)
    report = replace(plain, body=replace(plain.body, results=results))
    folder = written(report)
    Path(folder, page.name).write_text("looked at by people", encoding="utf-8")
    assert send(report, folder, started) is None
    (run,) = read_back(store(started), EXPERIMENT)
    logged = Path(run.info.artifact_uri.removeprefix("file://"))
    assert sorted(path.name for path in logged.iterdir()) == ["profile-drift.html", "report.html", "report.json"]
    assert (logged / page.name).read_text(encoding="utf-8") == "looked at by people"


def test_an_audit_is_logged_once_however_often_it_is_sent(started: Path, written: Write, read_back: Read) -> None:
    report = reports.passing()
    folder = written(report)
    assert [send(report, folder, started) for _ in range(2)] == [None, None]
    (run,) = read_back(store(started), EXPERIMENT)
    assert run.info.status == "FINISHED"


def test_a_run_that_was_cut_off_is_completed(started: Path, written: Write, read_back: Read) -> None:
    from mlflow import MlflowClient

    report = reports.passing()
    folder = written(report)
    assert send(report, folder, started) is None
    (run,) = read_back(store(started), EXPERIMENT)
    client = MlflowClient(store(started))
    client.update_run(run.info.run_id, status="RUNNING")
    client.delete_tag(run.info.run_id, "audit.verdict")
    shutil.rmtree(run.info.artifact_uri.removeprefix("file://"))
    assert send(report, folder, started) is None
    (again,) = read_back(store(started), EXPERIMENT)
    assert again.info.run_id == run.info.run_id
    assert again.info.status == "FINISHED"
    assert again.data.tags["audit.verdict"] == "pass"
    assert again.data.metrics == run.data.metrics
    assert [file.path for file in client.list_artifacts(run.info.run_id)] == ["report.html", "report.json"]


def test_whatever_a_project_is_called_and_says_it_is_logged(tmp_path: Path, read_back: Read) -> None:
    project = tmp_path / "odd #1 ?a=b %20 é's"
    folder = project / "reports" / "one"
    folder.mkdir(parents=True)
    report = reports.hostile()
    (folder / "report.json").write_bytes(report.to_json())
    assert send(report, str(folder), project) is None
    shutil.copytree(project, tmp_path / "plain")
    with closing(sqlite3.connect(tmp_path / "plain/.audit/mlflow/mlflow.db")) as database:
        (name,) = database.execute("SELECT name FROM experiments WHERE name LIKE 'audit/%'").fetchone()
    (run,) = read_back(f"sqlite:///{tmp_path}/plain/.audit/mlflow/mlflow.db", name)
    assert run.data.metrics["audit.count.fail"] == len(reports.HOSTILE)
    assert list((project / ".audit/mlflow/artifacts").glob("*/artifacts/report.json"))


def test_a_project_that_was_moved_keeps_its_runs(
    started: Path, tmp_path: Path, written: Write, read_back: Read
) -> None:
    assert send(reports.passing(), written(reports.passing()), started) is None
    moved = started.rename(tmp_path / "moved")
    folder = moved / "reports" / "second"
    folder.mkdir()
    (folder / "report.json").write_bytes(b"{}")
    assert send(reports.failing(), str(folder), moved) is None
    runs = read_back(store(moved), EXPERIMENT)
    assert len(runs) == 2
    for run in runs:
        assert Path(run.info.artifact_uri.removeprefix("file://")).is_relative_to(moved)
        assert (Path(run.info.artifact_uri.removeprefix("file://")) / "report.json").exists()
    assert not started.exists()


def test_audits_at_the_same_time_both_arrive(project: Path, written: Write, read_back: Read) -> None:
    folders = [written(reports.passing(), f"audit-{number}") for number in range(2)]
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda folder: send(reports.passing(), folder, project), folders))
    assert answers == [None, None]
    assert len(read_back(store(project), EXPERIMENT)) == 2


def test_a_database_of_an_older_mlflow_is_brought_up_to_date(started: Path, written: Write, read_back: Read) -> None:
    assert send(reports.passing(), written(reports.passing()), started) is None
    folder = started / ".audit/mlflow"
    (folder / "mlflow.db.version").write_text("3.1.0")
    (folder / "mlflow.db.new").write_bytes(b"left behind by a kill")
    assert send(reports.failing(), written(reports.failing(), "second"), started) is None
    assert len(read_back(store(started), EXPERIMENT)) == 2
    assert (folder / "mlflow.db.version").read_text() != "3.1.0"
    assert not (folder / "mlflow.db.new").exists()


def test_a_database_that_is_none_is_named_and_left_alone(project: Path, written: Write) -> None:
    database = project / ".audit/mlflow/mlflow.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"x" * 4096)
    warning = send(reports.passing(), written(reports.passing()), project)
    assert warning is not None
    assert "mlflow.db: file is not a database (move it away, and a new one is made)" in warning
    assert database.read_bytes() == b"x" * 4096


def test_a_database_that_would_write_elsewhere_is_not_used(started: Path, written: Write) -> None:
    trap = "UPDATE runs SET artifact_uri = replace(artifact_uri, '/project/', '/victim/')"
    with closing(sqlite3.connect(started / ".audit/mlflow/mlflow.db")) as database, database:
        database.execute(f"CREATE TRIGGER trap AFTER INSERT ON runs BEGIN {trap}; END")
    warning = send(reports.passing(), written(reports.passing()), started)
    assert warning is not None
    assert "MLflow did not make 'trap' in it" in warning
    assert not (started.parent / "victim").exists()


def test_an_experiment_that_was_deleted_is_told(started: Path, written: Write) -> None:
    from mlflow import MlflowClient

    assert send(reports.passing(), written(reports.passing()), started) is None
    client = MlflowClient(store(started))
    client.delete_experiment(client.get_experiment_by_name(EXPERIMENT).experiment_id)
    warning = send(reports.passing(), written(reports.passing(), "second"), started)
    assert warning is not None
    assert "was deleted (bring it back: mlflow experiments restore --experiment-id " in warning


def test_no_module_of_the_project_is_imported(started: Path, written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("mlflow", "msgspec", "sitecustomize", "json"):
        (started / f"{module}.py").write_text(f"open({str(started / 'pwned')!r}, 'w')")
    monkeypatch.setenv("PYTHONPATH", str(started))
    monkeypatch.chdir(started)
    monkeypatch.syspath_prepend(str(started))
    assert send(reports.passing(), written(reports.passing()), started) is None
    assert not (started / "pwned").exists()


def test_the_audit_itself_imports_no_mlflow() -> None:
    code = "import sys; from audit.mlflow import sink; sys.exit(sum(name.startswith('mlflow') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_mlflow_prints_is_no_answer() -> None:
    code = (
        "import os; from audit.mlflow import __main__ as sender; answer = sender._private_output();"
        "print('noise', flush=True); os.write(answer, b'answer')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"answer", b"noise\n")
