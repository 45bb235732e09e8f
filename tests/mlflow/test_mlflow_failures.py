"""Field case C59: servers that misbehave cost a bounded wait and one warning, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import badservers, reports

from audit.mlflow import destination, sink
from audit.mlflow.destination import REMOTE_S

Write = Callable[..., str]
SLACK_S = 2  # for a machine that is busy with other tests


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def send(folder: str, url: str, project: Path) -> str:
    warning = sink.send(reports.failing(), folder, target=url, project_root=str(project))
    assert warning is not None
    return warning


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (badservers.answers("500 Internal Server Error"), "HTTP 500;"),
        (badservers.answers("401 Unauthorized"), "HTTP 401, not authorised: set MLFLOW_TRACKING_TOKEN"),
    ],
    ids=["500", "401"],
)
def test_a_server_that_answers_wrongly(answer: badservers.Answer, reason: str, project: Path, written: Write) -> None:
    folder = written(reports.failing())
    before = files(folder)
    with badservers.serving(answer) as url:
        warning = send(folder, url, project)
    assert warning.startswith(f"MLflow not reached: {url}: ")
    assert reason in warning
    assert f"the report is complete in {folder}" in warning
    assert "\n" not in warning
    assert files(folder) == before


def test_servers_that_hang_cost_ten_seconds_at_most(project: Path, written: Write) -> None:
    folder = written(reports.failing())
    before = files(folder)

    def timed(url: str) -> tuple[str, float]:
        start = time.monotonic()
        return send(folder, url, project), time.monotonic() - start

    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        urls = [stack.enter_context(badservers.serving(one)) for one in (badservers.never, badservers.trickles)]
        (never, first_s), (trickles, second_s) = pool.map(timed, urls)
    assert "no answer in time" in never or "not done within 10 s" in never
    assert "not done within 10 s" in trickles
    assert max(first_s, second_s) < REMOTE_S + SLACK_S
    assert files(folder) == before


def test_a_closed_port_is_refused_and_secrets_stay_home(
    project: Path, written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://me:hunter22@127.0.0.1:{badservers.closed_port()}/x?token=abc")
    warning = sink.send(reports.passing(), written(reports.passing()), target="auto", project_root=str(project))
    assert warning is not None
    assert "Connection refused" in warning
    assert not any(secret in warning for secret in ("me:", "hunter22", "token", "abc"))


def test_a_sender_that_hangs_where_it_cannot_answer_is_given_up(
    project: Path, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = tmp_path / "sender.py"
    sender.write_text("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)\n")
    monkeypatch.setattr(sink, "_SENDER", sender)
    monkeypatch.setattr(destination, "REMOTE_S", 1.0)
    assert "not done within 1 s" in send(written(reports.failing()), "http://127.0.0.1:1", project)


def test_a_sender_that_crashes_is_told(
    project: Path, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = tmp_path / "sender.py"
    sender.write_text(
        "import os, sys\nprint('noise')\nprint('a\\nIllegal instruction', file=sys.stderr, flush=True)\nos._exit(4)\n"
    )
    monkeypatch.setattr(sink, "_SENDER", sender)
    warning = send(written(reports.failing()), "http://127.0.0.1:1", project)
    assert "the sender ended with code 4: Illegal instruction" in warning


def test_a_uri_without_the_library_says_what_to_install(
    project: Path, written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destination, "installed", lambda: False)
    assert "pip install 'reproaudit[mlflow]'" in send(written(reports.failing()), "http://user:pw@host", project)
    assert "user:pw" not in send(str(project), "http://user:pw@host", project)


def test_a_word_that_is_no_uri_is_a_warning_and_no_folder(project: Path, written: Write) -> None:
    assert "'atuo' is no MLflow tracking URI" in send(written(reports.failing()), "atuo", project)
    assert sorted(path.name for path in project.iterdir()) == ["reports"]
