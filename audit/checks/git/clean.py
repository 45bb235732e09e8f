"""`git.clean`: the files are those of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated

from msgspec import Meta

from audit.checks.git._mending import mending
from audit.facts.git_worktree import Difference, GitWorktree, Submodule, Way, Worktree
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import pathspec

_CODE = re.compile(
    r".*\.(c|cc|cfg|conf|cpp|cu|cuh|cxx|dvc|f90|go|h|hpp|ini|ipynb|java|jinja|jl|js|json|jsonnet|lock|lua|m|pl|pxd|py|pyi"
    r"|pyx|r|rs|scala|sh|sql|toml|ts|yaml|yml)|dockerfile|makefile|snakefile|justfile|\.env|(requirements|constraints).*\.txt",
    re.IGNORECASE,
)
"""Names of files that hold source code, settings, or records of data and packages."""

_MESSAGES = {
    Way.CHANGED: "differs from the commit",
    Way.MISSING: "is committed and not there",
    Way.MODE: "has other rights to execute than committed",
    Way.STAGED: "is staged and not committed",
    Way.TYPE: "is of another type than committed",
    Way.UNDECIDABLE: "only a filter, which an audit does not run, could tell whether it differs from the commit",
    Way.UNMERGED: "is part of a merge that is not concluded: choose its content, then git add and git commit",
    Way.UNREADABLE: "could not be read",
    Way.UNSAFE: "leaves the work tree, or enters Git's own folder; it was not opened",
}


class Untracked(StrEnum):
    """Which untracked files count."""

    CODE = "code"
    ALL = "all"
    NONE = "none"


class Clean(Check):
    """The files are those of the commit that is checked out.

    Names each tracked file whose content, type or right to execute differs from
    what is committed, what is staged and not committed, merges that are not
    concluded, untracked files that a run could read, and submodules that stand on
    another commit than the recorded one or are themselves not clean. Bits that hide
    changes from `git status` (`assume-unchanged`, `skip-worktree`) hide nothing
    here: a change behind them is named, with the bit.

    Content is compared as Git compares it, line ends, encodings and Git LFS
    included. Other filters are programs that the repository names; they do not run,
    so a file that only they could judge makes the outcome `error` until
    `git status` has looked at it. Ignored files, and files that a sparse checkout
    leaves out, do not count.

    ## Why it matters

    A run is recorded by its commit. Where the files are not the commit's, nobody can
    get back to the code that ran, not even its author.

    ## Example

    ```yaml
    rules:
      - id: nothing-uncommitted
        check: git.clean
        with:
          untracked: all
          paths: [src, configs, "*.ipynb"]
        on: [launch]
    ```

    ## How to fix

    Commit what the run needs, and list in `.gitignore` what it does not. Lift a
    hiding bit with `git update-index --no-assume-unchanged PATH` or
    `--no-skip-worktree PATH`; bring a submodule to its commit with
    `git submodule update --init PATH`.
    """

    untracked: Annotated[
        Untracked,
        Meta(
            description="Which untracked files count: source code, settings and records by their names, all, or none."
        ),
    ] = Untracked.CODE
    paths: Annotated[
        tuple[str, ...],
        Meta(description="Only these files and folders count; shell patterns, in which `*` also crosses folders."),
    ] = ()
    whole_repository: Annotated[
        bool,
        Meta(description="Look at the whole repository where the project is only a folder of it."),
    ] = False

    def needs(self, project: Project) -> Mapping[str, Request[Worktree]]:
        """How the files differ from the commit."""
        return {"worktree": GitWorktree(folder=project.root, whole=self.whole_repository)}

    def evaluate(self, worktree: Worktree) -> Iterator[Finding]:
        """One violation a path, its kind saying how it differs."""
        found = list(self._found(worktree, ""))
        if worktree.head is None:
            repair = next((each.repair for each in found if each.kind == "untracked"), None)
            yield Violation(subject=".", kind="no-commit", message="nothing is committed yet", repair=repair)
        yield from found
        yield Figure(name="tracked_files", value=worktree.tracked)
        yield Figure(name="untracked_files", value=len(worktree.untracked))
        yield Figure(name="hidden_by_flag", value=worktree.flagged)
        yield Figure(name="left_out_by_sparse_checkout", value=worktree.sparse)
        state = f"{len(found)} not as committed" if found else "as committed"
        yield Summary(text=f"{worktree.tracked} tracked files: {state}")

    def _found(self, worktree: Worktree, place: str) -> Iterator[Violation]:
        """The violations of a work tree that lies at `place`, its submodules' included."""
        differences = [each for each in worktree.differences if self._counts(place + each.path)]
        untracked = [name for name in worktree.untracked if self._is_read(name) and self._counts(place + name)]
        known = mending(worktree, [*(each.path for each in differences), *untracked], place)
        for each in differences:
            in_lfs = each.path in worktree.in_lfs
            yield _difference(each, place, known.get((each.path, str(each.way))), in_lfs=in_lfs)
        yield from (_untracked(name, place, known.get((name, "untracked"))) for name in untracked)
        for submodule in worktree.submodules:
            if self._counts(place + submodule.path):
                yield from _off(submodule, place)
            if submodule.worktree:
                yield from self._found(submodule.worktree, f"{place}{submodule.path}/")

    def _is_read(self, name: str) -> bool:
        """Whether an untracked file counts; in a repository of its own (`name/`) nobody knows what lies."""
        if self.untracked is Untracked.CODE:
            return name.endswith("/") or _CODE.fullmatch(name.rpartition("/")[2]) is not None
        return self.untracked is Untracked.ALL

    def _counts(self, path: str) -> bool:
        return not self.paths or any(_covers(pattern.rstrip("/"), path) for pattern in self.paths)


def _covers(pattern: str, path: str) -> bool:
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern}/*")


def _difference(found: Difference, place: str, repair: str | None, *, in_lfs: bool) -> Violation:
    hidden = f"; the bit {found.flag} hides it from git status" if found.flag else ""
    elsewhere = "; it belongs to Git LFS, see lfs.content" if in_lfs and found.way is Way.CHANGED else ""
    return Violation(
        subject=place + found.path,
        kind="hidden" if found.flag and found.way is Way.CHANGED else found.way.value,
        message=f"{_MESSAGES[found.way]}{hidden}{elsewhere}",
        expected=found.expected,
        found=found.found,
        repair=repair,
        unseen=found.way in {Way.UNDECIDABLE, Way.UNREADABLE},
    )


def _untracked(name: str, place: str, repair: str | None) -> Violation:
    what = (
        "is a repository of its own and no submodule"
        if name.endswith("/")
        else "is not tracked, and a run could read it"
    )
    return Violation(subject=(place + name).rstrip("/"), kind="untracked", message=what, repair=repair)


def _off(submodule: Submodule, place: str) -> Iterator[Violation]:
    if submodule.head == submodule.recorded:
        return
    path = place + submodule.path
    yield Violation(
        subject=path,
        kind="submodule",
        message="stands on another commit than the recorded one"
        if submodule.head
        else "the submodule is not checked out",
        expected=submodule.recorded,
        found=submodule.head,
        repair=f"git submodule update --init -- {pathspec(path)}",
    )
