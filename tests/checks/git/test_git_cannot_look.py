"""Where Git has nothing to say or refuses, the outcome is `skip` or `error` for every check of the family."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean
from audit.checks.git.pushed import Pushed
from audit.checks.git.tracked_data import TrackedData
from audit.errors import CannotLook, NotApplicable

CHECKS = [Clean(), Pushed(), TrackedData()]


@pytest.fixture(params=CHECKS, ids=lambda check: type(check).__name__)
def check(request):
    return request.param


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", {"a.py": "a\n"})


def test_a_folder_in_no_repository_is_not_applicable(check, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotApplicable, match="not in a Git repository"):
        judge(check, tmp_path / "plain")


def test_a_bare_repository_is_not_applicable(check, tmp_path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "bare"], check=True)
    with pytest.raises(NotApplicable, match="bare"):
        judge(check, tmp_path / "bare")


def test_without_git_nobody_can_look(check, project, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotLook, match="git is not installed"):
        judge(check, project.root)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_not_trusted_and_the_hint_says_how_to(check, project) -> None:
    for path in (project.root, project.root / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(CannotLook, match="another user owns it") as caught:
        judge(check, project.root)
    assert caught.value.hint == f"git config --global --add safe.directory {project.root}"


def test_a_repository_of_another_user_is_looked_at_where_the_user_trusts_it(
    check, project, tmp_path, monkeypatch
) -> None:
    settings = tmp_path / "settings"
    settings.write_text(f"[safe]\n\tdirectory = {project.root}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    if os.geteuid() == 0:
        for path in (project.root, project.root / ".git"):
            os.chown(path, 12345, 12345)
    judge(check, project.root)


def test_settings_that_cannot_be_parsed_are_an_error(check, project) -> None:
    (project.root / ".git/config").write_text("[broken\n")
    with pytest.raises(CannotLook, match="bad config"):
        judge(check, project.root)


def test_an_index_that_is_damaged_is_an_error(project) -> None:
    (project.root / ".git/index").write_bytes(b"DIRC damaged")
    for check in (Clean(), TrackedData()):
        with pytest.raises(CannotLook, match="git ls-files fails"):
            judge(check, project.root)


def test_a_work_tree_elsewhere_is_an_error(check, project, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    project.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(CannotLook, match="outside the work tree"):
        judge(check, project.root)


def test_a_work_tree_around_the_project_is_not_read(check, project, tmp_path) -> None:
    project.git("config", "core.worktree", str(tmp_path))
    with pytest.raises(CannotLook, match=r"holds no \.git"):
        judge(check, project.root)


def test_variables_of_a_hook_do_not_lead_elsewhere(project, tmp_path, monkeypatch) -> None:
    other = GitProject.make(tmp_path / "other", {"b.py": ""})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    assert judge(Clean(), project.root).violations == []
