"""`git.pushed` on real repositories and real remotes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.badservers import closed_port, never, serving
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.pushed import Pushed
from audit.host import Host
from audit.records.words import Severity


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    made = GitProject.make(tmp_path / "project", {"a.py": "a\n"})
    made.publish(tmp_path / "remote.git")
    return made


def kinds(project: GitProject, **parameters) -> dict[str, set[str]]:
    return judge(Pushed(**parameters), project.root).kinds


@pytest.mark.parametrize("ask", [False, True])
def test_a_pushed_commit_passes(project, ask) -> None:
    judgement = judge(Pushed(ask=ask), project.root)
    assert judgement.violations == []
    assert judgement.summary == f"commit {project.head[:12]}: on a remote"


@pytest.mark.parametrize("ask", [False, True])
def test_a_commit_that_was_not_pushed_is_named_with_the_command(project, ask) -> None:
    project.commit()
    head = project.commit()
    judgement = judge(Pushed(ask=ask), project.root)
    [violation] = judgement.violations
    assert (violation.subject, violation.kind, violation.found) == (".", "unpushed", head)
    assert violation.repair == "git push -- origin refs/heads/main"
    assert judgement.figures["unpushed_commits"] == 2


def test_an_older_commit_of_a_pushed_branch_passes_detached(project) -> None:
    first = project.head
    project.commit()
    project.git("push", "--quiet")
    project.git("checkout", "--quiet", "--detach", first)
    for ask in (False, True):
        assert kinds(project, ask=ask) == {}


def test_a_detached_commit_of_its_own_needs_a_branch_to_be_pushed_to(project) -> None:
    project.git("checkout", "--quiet", "--detach")
    project.commit()
    [violation] = judge(Pushed(), project.root).violations
    assert violation.repair == "git push -- origin HEAD:refs/heads/NAME"


def test_a_branch_that_looks_like_an_option_is_quoted_in_the_repair(project) -> None:
    project.git("update-ref", "refs/heads/--force;touch", "HEAD")
    project.git("symbolic-ref", "HEAD", "refs/heads/--force;touch")
    project.git("commit", "--quiet", "--allow-empty", "-m", "x")
    [violation] = judge(Pushed(), project.root).violations
    assert violation.repair == "git push -- origin 'refs/heads/--force;touch'"


def test_without_a_remote_nobody_can_fetch_it(tmp_path) -> None:
    project = GitProject.make(tmp_path / "alone", {"a.py": ""})
    assert kinds(project) == {".": {"no-remote"}}


def test_without_a_commit_there_is_nothing_to_fetch(tmp_path) -> None:
    assert kinds(GitProject.make(tmp_path / "empty")) == {".": {"no-commit"}}


def test_only_the_remote_itself_knows_that_a_branch_is_gone(project, tmp_path) -> None:
    project.git("checkout", "--quiet", "-b", "feature")
    project.commit()
    project.git("push", "--quiet", "origin", "feature")
    GitProject.clone(tmp_path / "remote.git", tmp_path / "other").git("push", "--quiet", "origin", ":feature")
    assert kinds(project) == {}
    assert kinds(project, ask=True) == {".": {"unpushed"}}


def test_only_the_remote_itself_knows_what_was_pushed_from_elsewhere(project, tmp_path) -> None:
    project.commit()
    project.git("push", "--quiet", str(tmp_path / "remote.git"), "main")
    assert kinds(project, ask=True) == {}


@pytest.mark.parametrize("annotated", [False, True])
def test_a_tag_on_the_remote_is_as_good_as_a_branch_if_asked(project, annotated) -> None:
    project.commit()
    project.git("tag", *(["-a", "-m", "x"] if annotated else []), "v1")
    project.git("push", "--quiet", "origin", "v1")
    assert kinds(project) == {".": {"unpushed"}}
    assert kinds(project, ask=True) == {}


def test_a_remote_with_commits_that_are_not_here_cannot_tell(project, tmp_path) -> None:
    colleague = GitProject.clone(tmp_path / "remote.git", tmp_path / "colleague")
    colleague.commit()
    colleague.git("push", "--quiet")
    [violation] = judge(Pushed(ask=True), project.root).violations
    assert (violation.kind, violation.unseen) == ("unanswered", True)
    assert violation.repair == "git fetch -- origin"
    project.git("fetch", "--quiet")
    assert kinds(project, ask=True) == {}


def test_a_remote_that_cannot_be_reached_is_no_violation_but_unseen_and_tells_no_secret(project) -> None:
    project.git("remote", "set-url", "origin", f"https://user:sesame@127.0.0.1:{closed_port()}/x?token=sesame")
    assert kinds(project) == {}
    [violation] = judge(Pushed(ask=True), project.root).violations
    assert (violation.kind, violation.unseen) == ("unanswered", True)
    assert "127.0.0.1" in violation.message
    assert "sesame" not in violation.message


def test_a_remote_that_never_answers_costs_a_bounded_time(project) -> None:
    class Hasty(Host):
        def git(self, folder, *args, timeout_s=60, stdin=b""):
            assert timeout_s <= 60
            return super().git(folder, *args, timeout_s=0.5 if args[0] == "ls-remote" else timeout_s, stdin=stdin)

    with serving(never) as url:
        project.git("config", "remote.origin.url", url.replace("http:", "https:"))
        [violation] = judge(Pushed(ask=True), project.root, host=Hasty()).violations
    assert (violation.kind, violation.unseen) == ("unanswered", True)
    assert "did not answer within 0.5 s" in violation.message


@pytest.mark.parametrize(
    "url", ["ext::touch x", "git://127.0.0.1:1/x", "../nowhere", "--upload-pack=touch x", "file:///nowhere"]
)
def test_what_is_not_asked_over_https_ssh_or_a_path_is_unseen(project, url) -> None:
    project.git("config", "remote.origin.url", url)
    [violation] = judge(Pushed(ask=True), project.root).violations
    assert (violation.kind, violation.unseen) == ("unanswered", True)
    assert not (project.root / "x").exists()


def test_a_folder_within_a_repository_is_no_remote(project) -> None:
    (project.root / "folder").mkdir()
    project.git("config", "remote.origin.url", "folder")
    [violation] = judge(Pushed(ask=True), project.root).violations
    assert "is no Git repository" in violation.message


def test_one_remote_that_has_it_is_enough(project, tmp_path) -> None:
    project.git("remote", "add", "aaa", str(tmp_path / "nowhere"))
    assert kinds(project, ask=True) == {}


def test_a_shallow_clone_passes_where_its_commit_is_the_remotes_own(project, tmp_path) -> None:
    project.commit()
    project.git("push", "--quiet")
    shallow = GitProject.clone(tmp_path / "remote.git", tmp_path / "shallow", "--depth=1")
    assert kinds(shallow) == {}


def test_a_shallow_clone_that_ends_before_the_answer_is_unseen(project, tmp_path) -> None:
    old = project.head
    project.commit()
    project.git("push", "--quiet")
    shallow = GitProject.clone(tmp_path / "remote.git", tmp_path / "shallow", "--depth=1")
    shallow.git("fetch", "--quiet", "--depth=1", "origin", old)
    shallow.git("checkout", "--quiet", "--detach", old)
    [violation] = judge(Pushed(), shallow.root).violations
    assert (violation.kind, violation.unseen) == ("shallow", True)
    assert violation.repair == "git fetch --unshallow"


@pytest.fixture
def inner(project, tmp_path) -> GitProject:
    source = GitProject.make(tmp_path / "source", {"lib.py": ""})
    made = project.submodule(source.root, "lib")
    project.git("push", "--quiet")
    return made


def test_the_commit_of_a_submodule_must_be_published_too(project, inner) -> None:
    assert kinds(project) == {}
    inner.commit()
    project.commit("advance")
    project.git("push", "--quiet")
    [violation] = judge(Pushed(), project.root).violations
    assert (violation.subject, violation.kind) == ("lib", "unpushed")
    assert violation.repair == "git -C lib push -- origin refs/heads/main"


def test_a_submodule_whose_recorded_commit_is_not_in_its_clone_is_unseen(project, inner) -> None:
    assert inner.head
    project.git("update-index", "--cacheinfo", f"160000,{'1' * 40},lib")
    [violation] = judge(Pushed(), project.root).violations
    assert (violation.subject, violation.kind, violation.unseen) == ("lib", "unknown", True)


def test_a_submodule_that_is_not_checked_out_is_noted(project, inner) -> None:
    shutil.rmtree(inner.root)
    [violation] = judge(Pushed(), project.root).violations
    assert (violation.subject, violation.kind, violation.severity) == ("lib", "not-looked", Severity.NOTE)
