"""What Git converts between the disk and the commit is no change; what only a program could convert is undecidable."""

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
    return GitProject.make(tmp_path / "project", {"a.txt": "one\ntwo\n"})


def kinds(project: GitProject) -> dict[str, set[str]]:
    return judge(Clean(), project.root).kinds


@pytest.mark.parametrize(
    ("attributes", "settings"),
    [("* text=auto\n", {}), ("*.txt text\n", {}), ("*.txt eol=crlf\n", {}), ("", {"core.autocrlf": "true"})],
)
def test_other_line_ends_are_no_change_where_git_converts_them(project, attributes, settings) -> None:
    project.write(".gitattributes", attributes)
    project.commit()
    for name, value in settings.items():
        project.git("config", name, value)
    project.write("a.txt", "one\r\ntwo\r\n")
    assert kinds(project) == {}
    project.write("a.txt", "one\r\nthree\r\n")
    assert kinds(project) == {"a.txt": {"changed"}}


def test_other_line_ends_are_a_change_where_git_keeps_them(project) -> None:
    project.write("a.txt", "one\r\ntwo\r\n")
    assert kinds(project) == {"a.txt": {"changed"}}


def test_carriage_returns_that_are_committed_are_no_change(project) -> None:
    project.write("a.txt", "one\r\n")
    project.commit()
    project.git("config", "core.autocrlf", "true")
    os.utime(project.root / "a.txt", (1, 1))
    assert kinds(project) == {}


def test_encodings_and_keywords_are_converted_as_git_does(project) -> None:
    project.write(".gitattributes", "*.u16 working-tree-encoding=UTF-16LE\n*.id ident\n")
    project.write("b.u16", "ö\n".encode("utf-16-le"))
    project.write("c.id", "$Id$\n")
    project.commit()
    (project.root / "c.id").unlink()
    project.git("checkout", "--", "c.id")
    assert "$Id: " in (project.root / "c.id").read_text()
    for name in ("b.u16", "c.id"):
        os.utime(project.root / name, (1, 1))
    assert kinds(project) == {}
    project.write("b.u16", "ä\n".encode("utf-16-le"))
    assert kinds(project) == {"b.u16": {"changed"}}


@pytest.fixture
def filtered(project) -> GitProject:
    project.write(".gitattributes", "*.txt filter=upper\n")
    project.git("config", "filter.upper.clean", "tr a-z A-Z")
    project.git("add", "--renormalize", ".")
    project.commit()
    return project


def test_a_file_that_git_itself_has_filtered_and_not_seen_change_since_is_clean(filtered) -> None:
    assert filtered.git("show", "HEAD:a.txt") == "ONE\nTWO"
    filtered.git("status")
    Path(filtered.root / ".git/index").touch()
    assert kinds(filtered) == {}


def test_what_only_a_filter_could_decide_is_undecidable(filtered) -> None:
    filtered.write("a.txt", "three\n")
    [violation] = judge(Clean(), filtered.root).violations
    assert (violation.subject, violation.kind, violation.unseen) == ("a.txt", "undecidable", True)
    assert "'upper'" in violation.found
    assert violation.repair == "git status -- a.txt"


def test_a_filtered_file_that_holds_the_committed_bytes_is_clean(filtered) -> None:
    filtered.write("a.txt", "ONE\nTWO\n")
    assert kinds(filtered) == {}


CONTENT = b"weights" * 1000


def _pointer(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()


@pytest.fixture(params=[CONTENT, b"small"], ids=["large", "small"])
def content(request) -> bytes:
    return request.param


@pytest.fixture
def stored(project, content) -> GitProject:
    """A file of Git LFS, as git-lfs leaves it: a pointer is committed, content is in the work tree."""
    project.write(".gitattributes", "*.pt filter=lfs diff=lfs merge=lfs -text\n")
    project.write("m.pt", _pointer(content))
    project.commit()
    project.write("m.pt", content)
    project.git("config", "filter.lfs.clean", "touch sprung")
    project.git("config", "filter.lfs.required", "true")
    return project


@pytest.mark.parametrize("deep", [False, True])
def test_the_content_that_a_pointer_stands_for_is_no_change(stored, deep) -> None:
    assert judge(Clean(), stored.root, deep=deep).violations == []
    assert not (stored.root / "sprung").exists()


def test_a_pointer_where_content_was_not_fetched_is_as_committed(stored) -> None:
    stored.git("-c", "filter.lfs.required=false", "checkout", "--", "m.pt")
    assert kinds(stored) == {}


@pytest.mark.parametrize("other", [CONTENT[:-1] + b"!", b"", b"other", _pointer(b"other")])
def test_other_content_than_the_pointer_stands_for_is_a_change(stored, other) -> None:
    stored.write("m.pt", other)
    assert kinds(stored) == {"m.pt": {"changed"}}


def test_content_that_was_committed_without_git_lfs_is_compared_as_it_is(stored) -> None:
    stored.git("config", "--unset", "filter.lfs.clean")
    stored.git("config", "filter.lfs.required", "false")
    stored.commit()
    assert kinds(stored) == {}
    stored.write("m.pt", b"other")
    assert kinds(stored) == {"m.pt": {"changed"}}
