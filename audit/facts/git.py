"""The Git repository that holds a folder, and what its index tracks."""

from __future__ import annotations

import posixpath
import re

from audit.errors import CannotLook, NotApplicable
from audit.formats import git as listing
from audit.formats.git import IndexEntry
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Completed, Door, EntryType
from audit.records.shell import word

_DUBIOUS = re.compile(r"(?:dubious ownership in|unsafe) repository (?:at )?\(?'([^\n]*)'")


class Repository(Record):
    """A repository with a work tree.

    `top` is the work tree's absolute path, `prefix` where in it the asked folder
    lies (empty at the top). `head` is the commit that is checked out, None before
    the first. `file_mode` and `symlinks` say what the filesystem can keep, `remotes`
    are names and URLs.
    """

    top: str
    prefix: str
    index: str
    head: str | None
    shallow: bool
    file_mode: bool
    symlinks: bool
    remotes: tuple[tuple[str, str], ...]


class Index(Record):
    """What the index tracks, in its order; `mtime_ns` is when it was last written."""

    entries: tuple[IndexEntry, ...]
    mtime_ns: int


class GitRepository(Request[Repository]):
    """The repository that holds `folder` (absolute). Raises `NotApplicable` where none does."""

    folder: str

    def collect(self, ctx: Context) -> Repository:
        """Ask Git where it is and how it is set up."""
        host, folder = ctx.host, self.folder
        answer = ask(
            host, folder, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository"
        )
        bare, inside, shallow = (word == "true" for word in answer.decode().split())
        if bare:
            raise NotApplicable("the Git repository is bare: it has no work tree")
        if not inside:
            raise CannotLook(
                "it lies outside the work tree of its Git repository", where=folder, hint="see core.worktree"
            )
        top = _line(ask(host, folder, "rev-parse", "--show-toplevel"))
        if host.look(posixpath.join(top, ".git")) is None:  # a project could set it to `/`, and have all of that read
            raise CannotLook(f"its work tree is set to {top}, which holds no .git", hint="see core.worktree")
        said = listing.settings(ask(host, top, "config", "--list", "-z"))
        return Repository(
            top=top,
            prefix=_below(top, host.resolve(folder)),
            index=posixpath.join(top, _line(ask(host, top, "rev-parse", "--git-path", "index"))),
            head=_head(host, top),
            shallow=shallow,
            file_mode=_true(said.get("core.filemode", "true")),
            symlinks=_true(said.get("core.symlinks", "true")),
            remotes=_remotes(said),
        )


class GitIndex(Request[Index]):
    """What Git tracks in the repository that holds `folder`."""

    folder: str

    def collect(self, ctx: Context) -> Index:
        """List the whole index, with the stamps that it remembers."""
        repository = ctx.get(GitRepository(folder=self.folder))
        # Looked at before it is read: if it is written in between, more files count as doubtful, not fewer.
        written = ctx.host.look(repository.index)
        out = ask(ctx.host, repository.top, "ls-files", "--stage", "-v", "-z", "--debug", "--full-name")
        return Index(entries=tuple(listing.index_entries(out)), mtime_ns=written.stamp.mtime_ns if written else 0)


def ask(host: Door, folder: str, *args: str, stdin: bytes = b"", timeout_s: float = 60) -> bytes:
    """What a Git command prints. Raises `NotApplicable` outside a repository, `CannotLook` where Git refuses."""
    done = host.git(folder, *args, stdin=stdin, timeout_s=timeout_s)
    if done.code:
        raise refusal(folder, args[0], done)
    return done.out


def refusal(folder: str, command: str, done: Completed) -> NotApplicable | CannotLook:
    """Why Git refused, as an error that says what to do."""
    said = listing.text(done.err)
    if "not a git repository" in said:
        return NotApplicable("not in a Git repository")
    if dubious := _DUBIOUS.search(said):
        what = "Git does not trust this repository: another user owns it"
        return CannotLook(what, where=folder, hint=f"git config --global --add safe.directory {word(dubious[1])}")
    if "promisor remote" in said:
        what = "this is a partial clone, and what it lacks is not fetched to look at it"
        return CannotLook(what, where=folder, hint="git fetch --refetch --no-filter")
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))] or ["it gives no reason"]
    return CannotLook(f"git {command} fails: {lines[0]}", where=folder, hint="run it by hand to see why")


def own_repository(ctx: Context, folder: str) -> Repository | None:
    """The repository whose top the folder is; None where a submodule is not checked out, or a link stands there."""
    entry = ctx.host.look(folder)
    if entry is None or entry.type is not EntryType.FOLDER or ctx.host.look(posixpath.join(folder, ".git")) is None:
        return None
    try:
        own = ctx.get(GitRepository(folder=folder))
    except NotApplicable:  # its `.git` leads nowhere
        return None
    return own if own.top == ctx.host.resolve(folder) else None


def relative(repository: Repository, path: str) -> str:
    """A path of the work tree as seen from the asked folder."""
    return posixpath.relpath(path, repository.prefix) if repository.prefix else path


def within(repository: Repository, path: str) -> bool:
    """Whether a path of the work tree lies in the asked folder."""
    return not repository.prefix or path.startswith(f"{repository.prefix}/")


def _line(out: bytes) -> str:
    return listing.text(out.removesuffix(b"\n"))


def _below(top: str, folder: str) -> str:
    return "" if folder == top else posixpath.relpath(folder, top)


def _head(host: Door, top: str) -> str | None:
    done = host.git(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return None if done.code else _line(done.out)


def _true(value: str) -> bool:
    """A boolean of git-config(1): `true`, `yes`, `on` and numbers but 0."""
    return value.lower() in {"true", "yes", "on"} or (value.isdigit() and int(value) != 0)


def _remotes(said: dict[str, str]) -> tuple[tuple[str, str], ...]:
    pattern = re.compile(r"remote\.(.*)\.url", re.DOTALL)
    return tuple(sorted((found[1], url) for key, url in said.items() if (found := pattern.fullmatch(key))))
