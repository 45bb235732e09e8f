"""What the git door lets through: the user's own settings, and no variable that names a repository."""

from __future__ import annotations

import pytest
from support.git_projects import HERMETIC, GitProject

from audit.errors import CannotLook
from audit.host import Host

HOST = Host()


@pytest.fixture
def project(tmp_path) -> GitProject:
    return GitProject.make(tmp_path / "project", {"a.txt": "a\n"})


def settings(project: GitProject) -> set[bytes]:
    return set(HOST.git(str(project.root), "config", "--list", "-z").out.split(b"\0"))


def test_the_settings_of_the_user_are_read(project, tmp_path, monkeypatch) -> None:
    (tmp_path / "mine").write_text("[safe]\n\tdirectory = /somewhere\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "mine"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/dev/null")
    assert {b"safe.directory\n/somewhere", b"core.excludesfile\n/dev/null"} <= settings(project)


def test_nothing_of_the_users_outranks_what_is_switched_off(project, monkeypatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "touch x")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='touch y'")
    listed = HOST.git(str(project.root), "config", "--list").out.splitlines()
    assert [line for line in listed if line.startswith(b"core.fsmonitor")][-1] == b"core.fsmonitor=false"


def test_variables_that_name_another_repository_are_not_handed_on(project, tmp_path, monkeypatch) -> None:
    other = GitProject.make(tmp_path / "other")
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_EXEC_PATH", str(other.root))
    assert HOST.git(str(project.root), "rev-parse", "--show-toplevel").out.decode().strip() == str(project.root)
    assert HOST.git(str(project.root), "ls-files").out == b"a.txt\n"


def test_a_trace_that_the_caller_asked_for_writes_nothing(project, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(tmp_path / "trace2"))
    HOST.git(str(project.root), "version")
    assert not (tmp_path / "trace").exists()
    assert not (tmp_path / "trace2").exists()


def test_replaced_and_grafted_history_is_seen_as_it_was_committed(project) -> None:
    first = project.head
    second = project.commit()
    project.git("replace", second, project.git("commit-tree", "-m", "lie", "HEAD^{tree}"))
    assert HOST.git(str(project.root), "rev-list", "HEAD").out.split() == [second.encode(), first.encode()]


def test_a_filter_driver_whose_name_cannot_be_overridden_is_an_error(project) -> None:
    with (project.root / ".git/config").open("a") as config:
        config.write('[filter "a=b"]\n\tclean = touch x\n')
    project.write(".gitattributes", "*.txt filter=a=b\n")
    with pytest.raises(CannotLook, match="equals sign"):
        HOST.git(str(project.root), "hash-object", "a.txt")
    assert HOST.git(str(project.root), "hash-object", "--no-filters", "a.txt").code == 0
    assert not (project.root / "x").exists()


def test_a_remote_is_asked_from_outside_the_repository(project, monkeypatch) -> None:
    for name, value in HERMETIC.items():
        monkeypatch.setenv(name, value)
    project.git("config", "url.https://127.0.0.1:1/.insteadOf", "https://example.invalid/")
    project.git("config", "http.proxy", "http://127.0.0.1:1")
    said = HOST.git(str(project.root), "ls-remote", "--", "https://example.invalid/x").err
    assert b"127.0.0.1" not in said
    assert HOST.git(str(project.root), "ls-remote", "--", "origin").code
