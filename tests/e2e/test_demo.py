from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audit.api import Settings, hold
from audit.demo import faults, project
from audit.errors import MissingExtra, UsageError


def audit(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "audit", *words]
    return subprocess.run(line, cwd=cwd, env=os.environ | env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, audit("demo", cwd=folder)


def test_it_shows_what_it_planted_and_nothing_else(shown: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = shown
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nall 7 planted faults were found, and nothing else\n")
    for subject in ("yes_train1.wav", "vocabulary.txt", "encoder.bin", "augment.py", "params.json:features.rate_hz"):
        assert subject in done.stdout


def test_the_report_is_where_it_says(shown: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = shown
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("report: ")]
    page = Path(line.removeprefix("report: "))
    assert page.is_relative_to(folder.resolve() / "audit-demo" / "project" / "reports")
    report = json.loads(page.with_suffix(".json").read_bytes())
    assert report["body"]["verdict"] == "fail"
    assert sum(len(result["violations"]) for result in report["body"]["results"]) == 7


def test_what_it_calls_audit_run_says_the_same(shown: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = shown
    again = audit("run", "-C", "audit-demo/project", "--mlflow", "off", cwd=folder)
    assert again.returncode == 1
    for line in again.stdout.splitlines():
        if line.startswith(("FAIL", "WARN", "      repair")):
            assert line in done.stdout


@pytest.mark.parametrize("moved", [False, True])
def test_each_repair_that_it_names_repairs(tmp_path: Path, *, moved: bool) -> None:
    made = project.make(tmp_path / "demo").resolve()
    planted = {fault.rule: fault.subject for fault in faults.plant(made)}
    if moved:
        made = (tmp_path / "demo").rename(tmp_path / "elsewhere here").resolve() / "project"
    results = {result.rule: result for result in hold(made, Settings()).report.results}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "GIT_EDITOR": "false"}
    rules = ["dvc-cache", "dvc-hash", "dvc-remote", "dvc-lock", "git-clean"]
    rules += ["lfs-content"] if shutil.which("git-lfs") else []
    for rule in rules:
        repair = results[rule].violations[0].repair or results[rule].repair
        assert repair, rule
        subprocess.run(repair, shell=True, cwd=made, env=env, check=True, capture_output=True)  # noqa: S602 - as a person pastes it
    after = hold(made, Settings(deep=True)).report
    named = {(result.rule, violation.subject) for result in after.results for violation in result.violations}
    assert not {(rule, planted[rule]) for rule in rules} & named


def test_before_the_faults_the_project_passes(tmp_path: Path) -> None:
    made = project.make(tmp_path / "demo").resolve()
    report = hold(made, Settings(deep=True)).report
    assert report.verdict == "pass"
    skipped = {result.rule for result in report.results if result.outcome == "skip"}
    assert skipped == {"dvc-imports", "env-lock", "env-pins", "git-tracked-data"}
    assert {result.outcome for result in report.results} == {"pass", "skip"}


def test_two_of_them_are_alike_wherever_they_are(tmp_path: Path) -> None:
    digests = set()
    for name in ("one", "zwei ö"):
        made = project.make(tmp_path / name).resolve()
        faults.plant(made)
        digests.add(hold(made, Settings()).report.envelope.body_digest)
    assert len(digests) == 1


def test_the_users_own_settings_of_dvc_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "config").write_text("[cache]\n    dir = /nowhere/cache\n    type = symlink\n")
    monkeypatch.setenv("DVC_GLOBAL_CONFIG_DIR", str(tmp_path / "settings"))
    done = audit("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for place in (tmp_path, tmp_path / "mine"):
        with pytest.raises(UsageError, match="is there already"):
            project.make(place)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_it_says_nothing_of_making_what_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = audit("demo", ".", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is there already" in done.stderr


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = audit("demo", "file/below", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)
    assert done.stderr == "audit: file/below: cannot be written: not a directory\n"


def test_inside_a_hook_of_git_it_keeps_off_the_repository(tmp_path: Path) -> None:
    done = audit("demo", cwd=tmp_path, GIT_DIR=str(tmp_path / "other"))
    assert done.returncode == 2
    assert "GIT_DIR is set" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_dvc_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"reproaudit\[dvc\]"):
        project.make(tmp_path / "demo")


def test_a_fault_that_is_not_found_fails_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from audit.cli.demo import command

    whole = faults.plant

    def less(made: Path) -> tuple[faults.Fault, ...]:
        planted = whole(made)
        (made / "augment.py").unlink()
        (made / "other.py").write_text("")
        return planted

    monkeypatch.setattr(faults, "plant", less)
    done = CliRunner().invoke(command, [str(tmp_path / "demo")], standalone_mode=False)
    assert done.return_value == 1
    assert "not found: git-clean: augment.py\nnot planted: git-clean: other.py\n" in done.stderr
