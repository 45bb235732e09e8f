"""A repository that names programs everywhere, and a door that runs none of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.git_projects import HERMETIC, GitProject
from support.git_traps import Traps
from support.judge import judge

from audit.checks.git.clean import Clean, Untracked
from audit.checks.git.pushed import Pushed
from audit.checks.git.tracked_data import TrackedData
from audit.host import Host
from audit.host.git import PLUMBING


@pytest.fixture
def traps(tmp_path: Path) -> Traps:
    return Traps(tmp_path / "canaries")


@pytest.fixture
def project(traps: Traps, tmp_path: Path) -> GitProject:
    return traps.project(tmp_path / "project")


MISSING = "1234567890123456789012345678901234567890"

LIVE = {
    "clean": "hash-object a.txt",
    "process": "hash-object b.bin",
    "include": "hash-object d.inc",
    "worktree": "hash-object e.wt",
    "textconv": "cat-file --textconv HEAD:f.dif",
    "external": "diff HEAD -- f.dif",
    "fsmonitor": "status",
    "hook-post-index-change": "status",
    "hook-pre-commit": "commit -m x",
    "sub-fsmonitor": "status",
    "sub-clean": "-C sub hash-object inner.txt",
    "promisor": f"cat-file -e {MISSING}",
    "ext": "ls-remote ext",
    "sshCommand": "ls-remote ssh",
    "vcs": "ls-remote vcs",
    "uploadpack": "ls-remote local",
    "alternateRefsCommand": "rev-list --alternate-refs",
    "gpg": "log -1",
}


def test_the_traps_are_live(traps, project) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(project.root), **HERMETIC}
    for trap, command in LIVE.items():
        traps.reset()
        words = ["git", *command.split()]
        subprocess.run(
            words, cwd=project.root, env=env, capture_output=True, check=False, timeout=20, stdin=subprocess.DEVNULL
        )
        assert trap in traps.sprung


SAID = {
    "cat-file": [("-t", "HEAD"), ("-e", MISSING), ("blob", "HEAD:a.txt")],
    "check-attr": [("-z", "--all", "--", "a.txt", "b.bin", "sub/inner.txt")],
    "check-ignore": [("-v", "--", "a.txt", "untracked.py")],
    "config": [("--list", "-z")],
    "for-each-ref": [("--format=%(objectname) %(refname) %(contents)",)],
    "hash-object": [("--", name) for name in ("a.txt", "b.bin", "c.odd", "d.inc", "e.wt", "f.dif", "sub/inner.txt")],
    "ls-files": [("-s", "-v", "-z", "--debug"), ("-o", "--exclude-standard"), ("-m", "-d"), ("--recurse-submodules",)],
    "ls-remote": [("--", name) for name in ("ext", "local", "promisor", "vcs", "--upload-pack=touch x")],
    "ls-tree": [("-r", "-l", "-z", "HEAD")],
    "rev-list": [("--all", "--show-signature"), ("--alternate-refs",), ("--objects", "--missing=error", "HEAD")],
    "rev-parse": [("--verify", "--end-of-options", "--output=canary"), ("--absolute-git-dir", "--show-toplevel")],
    "symbolic-ref": [("HEAD",)],
    "version": [()],
}


def test_the_door_springs_none_of_them(traps, project) -> None:
    host = Host()
    for command in PLUMBING:
        for args in SAID[command]:
            host.git(str(project.root), command, *args)
            host.git(str(project.root / "sub"), command, *args)
            assert traps.sprung == [], (command, args)
    urls = [f"ext::touch {traps.canaries}/ext", f"file://{project.root}", str(project.root), "--upload-pack=touch x"]
    for url in urls:
        assert host.git(str(project.root), "ls-remote", "--", url).code
    assert traps.sprung == []


@pytest.mark.parametrize(
    "args", [("status",), ("diff",), ("cat-file", "--textconv", "HEAD:f.dif"), ("-c", "a.b=c", "log")]
)
def test_what_could_run_something_is_not_let_through(args, tmp_path) -> None:
    with pytest.raises(ValueError, match="not known to run nothing"):
        Host().git(str(tmp_path), *args)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(
    "check", [Clean(untracked=Untracked.ALL), Pushed(), Pushed(ask=True), TrackedData(patterns=("*",))]
)
def test_the_checks_spring_none_of_them(check, deep, traps, project) -> None:
    judgement = judge(check, project.root, deep=deep)
    assert judgement.violations
    assert traps.sprung == []


def test_what_the_checks_say_among_traps_is_true(project) -> None:
    names = ["a.txt", "b.bin", "c.odd", "d.inc", "e.wt", "sub/inner.txt"]
    tracked = {name: {"undecidable"} for name in names} | {"f.dif": {"changed"}}
    code = {name: {"untracked"} for name in ("untracked.py", "sub/new.py")}
    others = {name: {"untracked"} for name in (".gitattributes", "sub/.gitattributes")}
    assert judge(Clean(), project.root).kinds == tracked | code
    assert judge(Clean(untracked=Untracked.ALL), project.root).kinds == tracked | code | others
    kinds = {(each.subject, each.kind) for each in judge(Pushed(ask=True), project.root).violations}
    assert kinds == {(".", "unanswered")}
