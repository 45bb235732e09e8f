"""What Git prints, and what is made of it."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.git_projects import GitProject

from audit.errors import FormatError
from audit.formats import git as listing

OID = "ab" * 20
DEBUG = "  ctime: 3:4\n  mtime: 1:2\n  dev: 5\tino: 6\n  uid: 7\tgid: 8\n  size: 9\tflags: 40004000\n"


@pytest.mark.parametrize(
    ("tag", "flag"),
    [("H", None), ("h", "assume-unchanged"), ("S", "skip-worktree"), ("s", "skip-worktree"), ("M", None)],
)
def test_an_entry_with_its_stamp_and_flag(tag, flag) -> None:
    [entry] = listing.index_entries(f"{tag} 100644 {OID} 0\ta b\n\0{DEBUG}".encode())
    stamp = listing.IndexStamp(mtime_ns=1_000_000_002, ctime_ns=3_000_000_004, inode=6, size=9)
    assert entry == listing.IndexEntry("a b\n", "100644", OID, 0, flag, stamp)


def test_an_entry_without_a_stamp_has_none() -> None:
    [entry] = listing.index_entries(f"M 160000 {OID} 2\tx\0".encode())
    assert (entry.stage, entry.stamp) == (2, None)


@pytest.mark.parametrize("out", [b"nonsense\0", b"H 100644 short 0\ta\0", DEBUG.replace("9", "\0").encode()])
def test_what_is_not_understood_is_an_error_and_not_left_out(out) -> None:
    with pytest.raises(FormatError, match="not understood"):
        listing.index_entries(out)
    with pytest.raises(FormatError, match="not understood"):
        listing.tree_leaves(out)


def test_settings_keep_the_last_value_and_one_without_a_value_is_true() -> None:
    assert listing.settings(b"a.b\n1\0a.b\n2\nlines\0c.d\0e.f\n\0") == {"a.b": "2\nlines", "c.d": "true", "e.f": ""}


def test_objects_that_are_missing_have_no_size_and_no_content() -> None:
    assert listing.sizes(f"{OID} 12\n{'0' * 40} missing\n".encode()) == {OID: 12, "0" * 40: None}
    assert list(listing.contents(f"{OID} blob 3\na\nb\n{'0' * 40} missing\n{OID} blob 0\n\n".encode())) == [
        (OID, b"a\nb"),
        (OID, b""),
    ]


@pytest.mark.parametrize(
    "path", ["..", "../x", "a/../b", "/etc/passwd", "a//b", "./a", ".git/hooks/x", "a/.GIT/config", "a/"]
)
def test_paths_that_leave_the_work_tree_are_unsafe(path) -> None:
    assert listing.unsafe(path)


@pytest.mark.parametrize("path", ["a", "a/b.c", "..a", "a..", ".gitignore", ".github/x", "a/.gitkeep", "...", "a b"])
def test_ordinary_paths_are_not(path) -> None:
    assert not listing.unsafe(path)


@given(st.lists(st.text(st.characters(exclude_characters="\0/", codec="utf-8"), min_size=1), max_size=5))
def test_quoted_paths_are_the_lines_that_git_unquotes(names) -> None:
    lines = listing.quoted(names).split(b"\n")[:-1]
    assert [_unquoted(line) for line in lines] == [os.fsencode(name) for name in names]


def _unquoted(line: bytes) -> bytes:
    """C-style quotes, as `unquote_c_style` of Git's quote.c reads them."""
    inside, out, at = line[1:-1], bytearray(), 0
    while at < len(inside):
        if inside[at : at + 1] == b"\\":
            at += 1
            out += {b"n": b"\n", b"r": b"\r"}.get(inside[at : at + 1], inside[at : at + 1])
        else:
            out += inside[at : at + 1]
        at += 1
    return bytes(out)


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
@pytest.mark.parametrize("version", ["2", "4"])
def test_every_kind_of_index_is_listed_alike(tmp_path, format_, version) -> None:
    subprocess.run(["git", "init", "-q", f"--object-format={format_}", tmp_path / "project"], check=True)
    project = GitProject.make(tmp_path / "project", {"a": "1", "b/c": "2"})
    project.git("update-index", "--index-version", version)
    project.git("update-index", "--split-index")
    out = subprocess.run(
        ["git", "ls-files", "--stage", "-v", "-z", "--debug"], cwd=project.root, capture_output=True, check=True
    ).stdout
    entries = listing.index_entries(out)
    assert [(entry.path, entry.oid) for entry in entries] == [
        (name, project.git("rev-parse", f"HEAD:{name}")) for name in ("a", "b/c")
    ]
    assert all(entry.stamp and entry.stamp.size == 1 for entry in entries)
