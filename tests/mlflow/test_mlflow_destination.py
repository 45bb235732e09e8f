from __future__ import annotations

from pathlib import Path

import pytest

from audit.errors import CannotLook, MissingExtra, UsageError
from audit.mlflow import destination
from audit.mlflow.destination import LOCAL_S, REMOTE_S


def test_by_default_a_store_inside_the_audit_folder_that_git_ignores(project: Path) -> None:
    place = destination.destination("auto", str(project))
    assert place is not None
    assert place.embedded
    assert Path(place.folder) == project / ".audit" / "mlflow"
    assert place.limit_s == LOCAL_S
    assert (project / ".audit" / ".gitignore").read_text() == "*\n"


def test_the_configured_server_comes_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://me:secret@tracking.example.org?x=y")
    place = destination.destination("auto", str(project))
    assert place is not None
    assert place.uri == "https://me:secret@tracking.example.org?x=y"
    assert place.shown == "https://tracking.example.org"
    assert place.limit_s == REMOTE_S
    assert not (project / ".audit").exists()


@pytest.mark.parametrize(
    ("uri", "limit_s"),
    [
        ("sqlite:///runs.db", LOCAL_S),
        ("file:///srv/runs", LOCAL_S),
        ("./mlruns", LOCAL_S),
        ("/srv/mlruns", LOCAL_S),
        ("databricks", REMOTE_S),
        ("databricks://profile", REMOTE_S),
        ("postgresql://host/mlflow", REMOTE_S),
    ],
)
def test_a_given_uri_is_taken_as_it_is(project: Path, uri: str, limit_s: float) -> None:
    place = destination.destination(uri, str(project))
    assert place is not None
    assert (place.uri, place.folder, place.limit_s) == (uri, str(project), limit_s)


@pytest.mark.parametrize("target", ["", "on", "atuo", "runs", "host/path"])
def test_a_typing_error_is_no_folder(target: str, project: Path) -> None:
    with pytest.raises(UsageError, match="no MLflow tracking URI"):
        destination.destination(target, str(project))


def test_without_the_library_the_default_is_silent_and_a_uri_is_not(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destination, "installed", lambda: False)
    assert destination.destination("auto", str(project)) is None
    with pytest.raises(MissingExtra, match=r"pip install 'reproaudit\[mlflow\]'"):
        destination.destination("http://host", str(project))
    assert not (project / ".audit").exists()


def test_off_is_off(project: Path) -> None:
    assert destination.destination("off", str(project)) is None


@pytest.mark.parametrize("link", [".audit", ".audit/mlflow"])
def test_a_link_does_not_lead_out_of_the_project(project: Path, tmp_path: Path, link: str) -> None:
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotLook, match="leads out of the project"):
        destination.destination("auto", str(project))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["mlflow.db", "artifacts", "mlflow.db.version", "mlflow.db.lock", "mlflow.db-wal"])
def test_nothing_is_written_through_a_link_that_a_project_laid_out(project: Path, tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (project / ".audit/mlflow").mkdir(parents=True)
    (project / ".audit/mlflow" / name).symlink_to(precious)
    with pytest.raises(CannotLook, match="a link stands in the store"):
        destination.destination("auto", str(project))
    assert precious.read_text() == "precious"
