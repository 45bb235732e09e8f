"""`audit run` as a user runs it: what it prints where, what it starts, and how it ends."""

import errno
import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from audit.cli import main

AUDIT = [sys.executable, "-m", "audit"]
SUMS = "rules: [{id: sums, check: files.manifest, with: {manifest: SHA256SUMS}}]\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.txt").write_text("alpha\n")
    line = subprocess.run(["sha256sum", "a.txt"], cwd=tmp_path, capture_output=True, check=True).stdout
    (tmp_path / "SHA256SUMS").write_bytes(line)
    (tmp_path / "audit.yaml").write_text(f"version: 1\nname: p\n{SUMS}")
    return tmp_path


def audit(project, *words, **options):
    line = [*AUDIT, "run", "--mlflow", "off", *words]
    return subprocess.run(line, cwd=project, capture_output=True, text=True, check=False, timeout=60, **options)


def test_a_pass_says_so_and_writes_its_report(project):
    done = audit(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "PASS  everything is as recorded" in done.stdout
    latest = project / "reports/latest"
    assert f"report: {latest.resolve() / 'report.html'}" in done.stdout
    assert json.loads((latest / "report.json").read_bytes())["body"]["verdict"] == "pass"
    assert (project / "reports/.gitignore").read_text() == "*\n"
    assert (project / ".audit/.gitignore").read_text() == "*\n"


def test_a_fail_exits_1_with_its_place(project):
    (project / "a.txt").write_text("alphb\n")
    done = audit(project)
    assert done.returncode == 1
    assert "FAIL  sums" in done.stdout
    assert "x a.txt: " in done.stdout


def test_json_is_all_there_is_on_standard_output(project):
    done = audit(project, "--format", "json")
    assert json.loads(done.stdout)["schema"] == "reproaudit/report/1"


def test_a_commit_speaks_to_the_console_alone(project):
    assert audit(project, "--on", "commit").returncode == 3  # no rule is on commit: nothing ran
    assert not (project / "reports").exists()


def test_reports_go_where_they_are_asked_to(project, tmp_path):
    there = tmp_path / "elsewhere"
    audit(project, "--output", str(there))
    assert (there / "latest/report.html").is_file()
    assert not (project / "reports").exists()


def test_a_folder_of_somebody_elses_is_not_hidden_from_git_nor_swept(project):
    (project / "mine/.tmp-old").mkdir(parents=True)
    os.utime(project / "mine/.tmp-old", (1, 1))
    audit(project, "--output", "mine")
    assert (project / "mine/.tmp-old").is_dir()
    assert not (project / "mine/.gitignore").exists()


def test_nothing_is_written_through_a_link_that_the_project_laid(project, tmp_path_factory):
    victim = tmp_path_factory.mktemp("victim")
    (project / "reports").symlink_to(victim)
    done = audit(project)
    assert (done.returncode, list(victim.iterdir())) == (0, [])
    assert "reports is a link" in done.stderr


def test_what_is_behind_two_dashes_replaces_the_audit(project):
    script = "import os, sys; print('launched', os.getppid(), sys.argv[1:]); sys.exit(7)"
    done = audit(project, "--", sys.executable, "-c", script, "--on", "--", "x")
    assert done.returncode == 7
    assert f"launched {os.getpid()} ['--on', '--', 'x']" in done.stdout  # the same process: its parent is this test


def test_a_fail_starts_nothing(project):
    (project / "a.txt").write_text("alphb\n")
    done = audit(project, "--", "touch", "launched")
    assert done.returncode == 1
    assert done.stderr == "audit: touch launched was not started: the verdict is fail\n"
    assert not (project / "launched").exists()


@pytest.mark.parametrize("words", [("--select", "sums"), ("--skip", "sums"), ("--fail-on", "never")])
def test_neither_a_part_nor_leniency_can_open_the_gate(project, words):
    done = audit(project, *words, "--", "touch", "launched")
    assert (done.returncode, done.stdout) == (2, "")
    assert "leave out" in done.stderr
    assert not (project / "launched").exists()


def test_a_command_that_was_held_back_never_ends_well(project):
    (project / "a.txt").write_text("alphb\n")
    with (project / "audit.yaml").open("a") as rules:
        rules.write("fail_on: never\n")
    assert audit(project).returncode == 0
    assert audit(project, "--", "touch", "launched").returncode == 1
    assert not (project / "launched").exists()


def test_a_command_that_cannot_start_is_told_before_anything_is_audited(project):
    (project / "no.sh").write_text("")
    for program, code in (("no-such-program", 127), ("./no.sh", 126)):
        done = audit(project, "--", program)
        assert (done.returncode, done.stdout) == (code, "")
        assert "nothing was audited" in done.stderr
    assert not (project / "reports").exists()


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(("content", "code"), [("alpha\n", 0), ("alphb\n", 1)])
def test_a_reader_that_hangs_up_does_not_change_the_exit_code(project, content, code, form):
    (project / "a.txt").write_text(content)
    read, end = os.pipe()
    os.close(read)
    with os.fdopen(end) as closed:
        line = [*AUDIT, "run", "--mlflow", "off", "--format", form]
        done = subprocess.run(line, cwd=project, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_reader_that_hangs_up_on_anything_else_makes_no_success_of_it(project):
    read, end = os.pipe()
    os.close(read)
    with os.fdopen(end) as closed:
        line = [*AUDIT, "rules"]
        done = subprocess.run(line, cwd=project, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_output_that_cannot_be_written_does_not_change_the_exit_code(project, form):
    (project / "a.txt").write_text("alphb\n")
    with Path("/dev/full").open("w") as full:
        line = [*AUDIT, "run", "--mlflow", "off", "--format", form]
        done = subprocess.run(line, cwd=project, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"audit: warning: the verdict cannot be shown: No space left on device\n"


def test_a_fault_is_told_where_no_log_can_be_written(monkeypatch, capsys):
    def full(**_):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    monkeypatch.setattr(main, "app", lambda *_, **__: 1 / 0)
    assert main._guarded(["run"]) == 70
    told = capsys.readouterr().err
    assert told.endswith("audit: a fault in audit itself: ZeroDivisionError: division by zero (log: the lines above)\n")
    assert "1 / 0" in told


def test_what_the_project_says_does_not_steer_the_terminal(project):
    evil = "\x1b]0;owned\x07\x1b[31m\u202e"
    (project / evil).write_text("x")
    with (project / "SHA256SUMS").open("a") as sums:
        sums.write(f"{'0' * 64}  {evil}\n")
    done = audit(project)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\x1b]0;owned" in done.stdout


def on_a_terminal(project, *words, **env):
    """What a person sees: both streams of the process are a terminal."""
    parent, child = pty.openpty()
    line = [*AUDIT, "run", "--mlflow", "off", *words]
    settings = {name: value for name, value in os.environ.items() if name not in {"CI", "NO_COLOR"}}
    process = subprocess.Popen(
        line, cwd=project, stdout=child, stderr=child, env=settings | {"TERM": "xterm-256color"} | env
    )
    os.close(child)
    seen = b""
    try:
        while chunk := os.read(parent, 1 << 16):
            seen += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    process.wait()
    os.close(parent)
    return seen.decode()


def test_a_terminal_shows_how_far_it_is_and_a_pipe_does_not(project):
    with (project / "large.bin").open("wb") as stream:
        stream.truncate(3 << 30)
    with (project / "SHA256SUMS").open("a") as sums:
        sums.write(f"{'0' * 64}  large.bin\n")
    seen = on_a_terminal(project)
    assert "/2 files" in seen
    assert "large.bin" in seen
    assert "GB" in seen.replace("GiB", "GB")
    assert "/2 files" not in on_a_terminal(project, "--quiet", "--deep")
    assert "/2 files" not in on_a_terminal(project, "--deep", CI="true")
    assert "/2 files" not in audit(project, "--deep").stderr


def test_colours_are_for_terminals_that_want_them(project):
    assert "\x1b[32;1mPASS" in on_a_terminal(project)
    assert "\x1b[32;1mPASS" not in on_a_terminal(project, NO_COLOR="1")


WAIVER = "waivers: [{rule: sums, subject: %s, reason: known, author: data team, expires: %s}]\n"


@pytest.mark.parametrize(
    ("subject", "expires", "code", "told"),
    [
        (
            "a.txt",
            "2999-01-01",
            0,
            ["waived: known (data team, until 2999-01-01)", "nothing weighs an error; 1 waived"],
        ),
        ("a.txt", "2020-01-01", 1, ["waiver expired on 2020-01-01: sums: a.txt (known, data team)"]),
        ("b.txt", "2999-01-01", 1, ["waiver covers nothing: sums: b.txt (known, data team)"]),
    ],
)
def test_waivers_are_never_invisible(project, subject, expires, code, told):
    (project / "a.txt").write_text("alphb\n")
    with (project / "audit.yaml").open("a") as rules:
        rules.write(WAIVER % (subject, expires))
    done = audit(project)
    assert done.returncode == code
    assert all(line in done.stdout for line in told)


@pytest.mark.parametrize(
    ("prepare", "hint"),
    [
        (lambda root: (root / "sub").mkdir(), "there is one in"),
        (lambda root: (root / "sub/audit.yaml").mkdir(parents=True), "there is one in"),
    ],
)
def test_a_folder_within_a_project_points_to_it(project, prepare, hint):
    prepare(project)
    done = audit(project / "sub")
    assert done.returncode == 2
    assert hint in done.stderr
    assert f"-C {project}" in done.stderr


def test_a_rule_file_under_another_name_is_named(tmp_path):
    (tmp_path / "audit.yml").write_text("version: 1\n")
    assert "audit.yml must be called audit.yaml" in audit(tmp_path).stderr


def test_the_verdict_does_not_wait_for_mlflow(project):
    """What is printed comes before what is sent: a server may take its time."""
    import socket
    import time

    with socket.create_server(("127.0.0.1", 0)) as silent:
        line = [*AUDIT, "run", "--mlflow", f"http://127.0.0.1:{silent.getsockname()[1]}"]
        began = time.monotonic()
        process = subprocess.Popen(line, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen = ""
        while "report:" not in seen:
            seen += process.stdout.readline()
        shown = time.monotonic() - began
        _, err = process.communicate(timeout=60)
        assert shown < time.monotonic() - began - 1
    assert process.returncode == 0
    assert err.count("warning") == 1
