"""`git.clean` in submodules, and in theirs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", {"a.py": "a\n"})


@pytest.fixture
def inner(project, tmp_path) -> GitProject:
    source = GitProject.make(tmp_path / "source", {"lib.py": "lib\n"})
    return project.submodule(source.root, "vendor/lib")


def kinds(project: GitProject, **parameters) -> dict[str, set[str]]:
    return judge(Clean(**parameters), project.root).kinds


def test_a_submodule_on_its_commit_passes(project, inner) -> None:
    assert (inner.root / "lib.py").exists()
    assert kinds(project) == {}


def test_another_commit_is_named_with_both(project, inner) -> None:
    recorded = inner.head
    other = inner.commit("other")
    [violation] = judge(Clean(), project.root).violations
    assert (violation.subject, violation.kind) == ("vendor/lib", "submodule")
    assert (violation.expected, violation.found) == (recorded, other)
    assert violation.repair == "git submodule update --init -- vendor/lib"


def test_what_differs_inside_is_named_from_the_project(project, inner) -> None:
    inner.write("lib.py", "changed\n")
    inner.write("new.py", "")
    assert kinds(project) == {"vendor/lib/lib.py": {"changed"}, "vendor/lib/new.py": {"untracked"}}
    assert kinds(project, paths=("vendor/lib/new.py",)) == {"vendor/lib/new.py": {"untracked"}}


def test_settings_that_silence_a_submodule_silence_nothing_here(project, inner) -> None:
    project.git("config", "submodule.vendor/lib.ignore", "all")
    inner.write("lib.py", "changed\n")
    inner.commit()
    assert project.git("status", "--porcelain") == ""
    assert kinds(project) == {"vendor/lib": {"submodule"}}


@pytest.mark.parametrize("leave", ["empty", "nothing", "a file", "a dangling link", "broken", "an empty .git"])
def test_a_submodule_that_is_not_checked_out_is_named(project, inner, leave) -> None:
    if leave == "broken":
        (inner.root / ".git").write_text("gitdir: ../nowhere\n")
    else:
        shutil.rmtree(inner.root)
    if leave == "empty":
        inner.root.mkdir()
    elif leave == "an empty .git":
        (inner.root / ".git").mkdir(parents=True)
    elif leave == "a file":
        inner.root.write_text("")
    elif leave == "a dangling link":
        inner.root.symlink_to("nowhere")
    [violation] = judge(Clean(), project.root).violations
    assert (violation.subject, violation.kind, violation.found) == ("vendor/lib", "submodule", None)


def test_submodules_within_submodules_are_looked_at(project, inner, tmp_path) -> None:
    leaf = GitProject.make(tmp_path / "leaf", {"leaf.py": "leaf\n"})
    deepest = inner.submodule(leaf.root, "deep")
    project.commit("advance")
    assert kinds(project) == {}
    deepest.write("leaf.py", "changed\n")
    assert kinds(project) == {"vendor/lib/deep/leaf.py": {"changed"}}


def test_a_submodule_staged_on_another_commit_is_staged(project, inner) -> None:
    inner.commit("other")
    project.git("add", "vendor/lib")
    assert kinds(project) == {"vendor/lib": {"staged"}}
