from __future__ import annotations

import sqlite3

import pytest
from support import badservers

from audit.errors import CannotLook
from audit.mlflow.reason import MAX_LENGTH, reason


def why(url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What becomes of the exception that MLflow's own client raises."""
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    with pytest.raises(MlflowException) as raised:
        MlflowClient(url).get_experiment_by_name("audit/x")
    return reason(raised.value, {"MLFLOW_TRACKING_TOKEN": "tok-123456"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (badservers.answers("500 Internal Server Error"), "HTTP 500"),
        (badservers.answers("503 Service Unavailable", "Retry-After: 3600"), "HTTP 503"),
        (badservers.answers("401 Unauthorized"), "HTTP 401, not authorised"),
        (badservers.answers("403 Forbidden"), "HTTP 403, forbidden"),
        (badservers.answers("404 Not Found"), "HTTP 404"),
        (badservers.answers("302 Found", "Location: /login?next=secret"), "Exceeded 30 redirects"),
        (badservers.vanishes, "Connection broken"),
        (badservers.never, "no answer in time"),
    ],
    ids=["500", "503", "401", "403", "404", "302", "vanishes", "never"],
)
def test_a_server_that_misbehaves(answer: badservers.Answer, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with badservers.serving(answer) as url:
        text = why(url, monkeypatch)
    assert said in text
    assert "?" not in text
    assert len(text) <= MAX_LENGTH


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why(f"http://127.0.0.1:{badservers.closed_port()}", monkeypatch) == "Connection refused"
    assert why("http://no.such.host.invalid", monkeypatch).startswith(
        ("Name or service not known", "Temporary failure")
    )


def test_the_innermost_word_of_the_system_wins() -> None:
    error = RuntimeError("a long story about https://me:pw@host")
    error.__cause__ = PermissionError(13, "Permission denied", "/srv/mlflow.db")
    assert reason(error, {}) == "Permission denied: /srv/mlflow.db"


def test_other_errors_are_told_by_their_first_line() -> None:
    error = CannotLook("mlflow.db: file is not a database", hint="move it away")
    error.__cause__ = sqlite3.DatabaseError("file is not a database")
    assert reason(error, {}) == "mlflow.db: file is not a database (move it away)"
    assert reason(RuntimeError("first https://me:pw@host/a?b\nsecond"), {}) == "first https://host/a"
    assert reason(KeyError(), {}) == "KeyError"
