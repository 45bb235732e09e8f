"""Random edits: `git.clean` names what `git status` names."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean, Untracked

NAMES = ["a", "b.py", "d/c", "d/e/f", "ü"]
CONTENTS = [b"", b"1\n", b"2\n", b"1\r\n", b"\0\r\n"]

edits = st.one_of(
    st.tuples(st.just("write"), st.sampled_from([*NAMES, "new", "d/new"]), st.sampled_from(CONTENTS)),
    st.tuples(st.sampled_from(["delete", "link", "mode", "touch", "folder"]), st.sampled_from(NAMES), st.just(b"")),
    st.tuples(st.sampled_from(["stage", "unstage", "commit"]), st.just("."), st.just(b"")),
)

WORKTREE = {"M": "changed", "D": "missing", "T": "type"}


@settings(max_examples=25, deadline=None)
@example(committed={"a": b"1\n"}, attributes="* text=auto\n", steps=[("write", "a", b"1\r\n")])
@given(
    committed=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(CONTENTS), min_size=1),
    attributes=st.sampled_from(["", "* text=auto\n", "* -text\n"]),
    steps=st.lists(edits, max_size=6),
)
def test_it_names_what_git_status_names(committed, attributes, steps) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = {
            name: content for name, content in committed.items() if not name.startswith("d/") or "d" not in committed
        }
        project = GitProject.make(Path(folder), {".gitattributes": attributes, **files})
        for step in steps:
            _edit(project, *step)
        ours = judge(Clean(untracked=Untracked.ALL), project.root).kinds
        assert _as_git_says(project.root, ours) == _status(project)


def _edit(project: GitProject, what: str, name: str, content: bytes) -> None:
    path = project.root / name
    if what == "stage":
        project.git("add", "--all")
    elif what == "unstage":
        project.git("reset", "--quiet")
    elif what == "commit":
        project.git("commit", "--quiet", "--allow-empty", "-m", "x")
    elif what == "write":
        _clear(project.root, path)
        project.write(name, content)
    elif path.is_file() and not path.is_symlink():
        _change(path, what)


def _change(path: Path, what: str) -> None:
    if what == "mode":
        path.chmod(path.stat().st_mode ^ 0o111)
    elif what == "touch":
        os.utime(path, (1, 1))
    else:
        path.unlink()
        if what == "link":
            path.symlink_to("a")
        elif what == "folder":
            path.mkdir()
            (path / "inside").write_text("")


def _clear(root: Path, path: Path) -> None:
    """Make room for a file, whatever is in its way."""
    for above in [*reversed(path.relative_to(root).parents), path.relative_to(root)]:
        here = root / above
        if here == path and here.is_dir() and not here.is_symlink():
            shutil.rmtree(here)
        elif here.is_symlink() or (here != path and here.is_file()):
            here.unlink()


def _as_git_says(root: Path, kinds: dict[str, set[str]]) -> dict[str, set[str]]:
    """In Git's coarser words: rights are part of a change, and a folder in a file's place leaves nothing there."""

    def coarse(path: str, kind: str) -> str:
        if kind == "type" and (root / path).is_dir() and not (root / path).is_symlink():
            return "missing"
        return "changed" if kind == "mode" else kind

    return {path: {coarse(path, kind) for kind in found} for path, found in kinds.items()}


def _status(project: GitProject) -> dict[str, set[str]]:
    """The verdict of Git itself, in our words.

    `git status` calls a file modified by its size alone; `git diff` leaves out those that
    come to the same content once line ends are converted.
    """
    kinds: dict[str, set[str]] = {}
    differing = set(_git(project, "diff", "--name-only", "--no-renames", "-z").split("\0"))
    out = _git(project, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
    for line in out.split("\0")[:-1]:
        for path, kind in _said(line):
            if kind != "changed" or path in differing:
                kinds.setdefault(path, set()).add(kind)
    return kinds


def _git(project: GitProject, *words: str) -> str:
    return str(project.repo.git.execute(["git", *words], strip_newline_in_stdout=False))


def _said(line: str) -> Iterator[tuple[str, str]]:
    if line.startswith("? "):
        yield line[2:], "untracked"
        return
    _, changed, *_, path = line.split(" ", 8)
    if changed[0] != ".":
        yield path, "staged"
    if changed[1] != ".":
        yield path, WORKTREE[changed[1]]
