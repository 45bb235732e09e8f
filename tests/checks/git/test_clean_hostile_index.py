"""An index that was written by hand: what it says of files is not believed further than it can be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", {"a.py": "a\n", "xgit/config": "x", "yy/outside": "x"})


def patch(project: GitProject, before: bytes, after: bytes) -> None:
    """Replace bytes of the index, and write the checksum that belongs to it."""
    index = project.root / ".git/index"
    content = index.read_bytes()[:-20].replace(before, after)
    assert after in content
    index.write_bytes(content + hashlib.sha1(content, usedforsecurity=False).digest())


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"xgit/config", b".git/config"), (b"yy/outside", b"../outside"), (b"yy/outside", b"//etc/host")],
)
def test_a_path_that_leaves_the_work_tree_is_named_and_not_opened(project, before, after) -> None:
    project.git("rm", "--quiet", "--cached", "-r", "xgit", "yy")
    project.git("add", before.decode())
    patch(project, before, after)
    violations = [each for each in judge(Clean(), project.root).violations if each.kind == "unsafe-path"]
    assert [(each.subject, each.found) for each in violations] == [(after.decode(), "a path that Git would not write")]


def forge(project: GitProject, content: bytes, younger_ns: int) -> None:
    """An index with the stamp of the file as it is now, and the committed blob; younger than the file by so much."""
    committed = project.git("rev-parse", "HEAD:a.py")
    path = project.write("a.py", content)
    project.git("add", "a.py")
    patch(project, bytes.fromhex(project.git("rev-parse", ":a.py")), bytes.fromhex(committed))
    written = path.stat().st_mtime_ns + younger_ns
    os.utime(project.root / ".git/index", ns=(written, written))


def test_an_index_that_claims_to_know_the_file_is_believed_until_everything_is_read(project) -> None:
    forge(project, b"b\n", younger_ns=1)
    assert judge(Clean(), project.root).violations == []
    assert judge(Clean(), project.root, deep=True).kinds == {"a.py": {"changed"}}


def test_a_file_as_young_as_the_index_is_read(project) -> None:
    """Racy Git: a change within the tick of the clock in which the index was written leaves no other trace."""
    forge(project, b"b\n", younger_ns=0)
    assert judge(Clean(), project.root).kinds == {"a.py": {"changed"}}


def test_an_empty_file_is_read_as_git_marks_doubtful_entries_by_size_zero(project) -> None:
    forge(project, b"", younger_ns=1)
    assert judge(Clean(), project.root).kinds == {"a.py": {"changed"}}
