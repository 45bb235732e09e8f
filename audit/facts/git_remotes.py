"""Whether a commit is on a remote, so that others can fetch it: by what was last fetched, or by asking."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from audit.errors import CannotLook, NotApplicable
from audit.facts.git import GitIndex, GitRepository, Repository, ask, own_repository, relative
from audit.facts.git_references import folder_of, in_folder, over_network
from audit.formats import git as listing
from audit.formats.git import GITLINK
from audit.formats.urls import public_text
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door

_OWN_FOLDERS = {".", ".git"}


class Answer(Record):
    """What a remote said: it has the commit, it has not, or (with a reason) nobody can tell."""

    remote: str
    has: bool = False
    problem: str | None = None


class Published(Record):
    """Where a commit of a repository stands; `path` is empty for the repository itself, else its submodule's.

    `commit` is None before the first, and for a submodule that is not checked out.
    `branch` is None where HEAD is detached. `ahead` counts the commits, this one and
    what leads to it, that no remote branch had when they were last fetched; None
    where the commit is not in this clone. `answers` are those of the remotes, if
    they were asked.
    """

    path: str
    commit: str | None
    branch: str | None
    remotes: tuple[str, ...]
    shallow: bool
    ahead: int | None
    answers: tuple[Answer, ...] = ()


class GitPublished(Request[tuple[Published, ...]]):
    """The commit checked out in `folder`, and those recorded for its submodules; `ask` asks the remotes themselves."""

    folder: str
    ask: bool = False

    def collect(self, ctx: Context) -> tuple[Published, ...]:
        """Count the commits that no remote branch has."""
        repository = ctx.get(GitRepository(folder=self.folder))
        found = [self._published(ctx, repository, "", repository.head)]
        for entry in ctx.get(GitIndex(folder=self.folder)).entries:
            if entry.mode == GITLINK and not entry.stage and not listing.unsafe(entry.path):
                own = own_repository(ctx, posixpath.join(repository.top, entry.path))
                found.append(self._published(ctx, own, relative(repository, entry.path), entry.oid))
        return tuple(found)

    def _published(self, ctx: Context, repository: Repository | None, path: str, commit: str | None) -> Published:
        if repository is None or commit is None:
            return Published(path=path, commit=None, branch=None, remotes=(), shallow=False, ahead=None)
        host, top = ctx.host, repository.top
        here = _types(host, top, [commit])[commit] == "commit"
        return Published(
            path=path,
            commit=commit,
            branch=_branch(host, top),
            remotes=tuple(name for name, _ in repository.remotes),
            shallow=repository.shallow,
            ahead=_ahead(host, top, commit, _tracked(host, top)) if here else None,
            answers=tuple(_asked(ctx, repository, commit)) if self.ask and here else (),
        )


def _branch(host: Door, top: str) -> str | None:
    done = host.git(top, "symbolic-ref", "--quiet", "HEAD")
    return None if done.code else listing.text(done.out.removesuffix(b"\n")).removeprefix("refs/heads/")


def _types(host: Door, top: str, names: Iterable[str]) -> dict[str, str]:
    """What each object is in this clone: `commit`, `tag`, ..., or `missing`."""
    stdin = "".join(f"{name}\n" for name in sorted(names)).encode("ascii")
    answer = ask(host, top, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=stdin).decode("ascii")
    return dict(line.split(" ") for line in answer.splitlines())


def _tracked(host: Door, top: str) -> list[str]:
    """The commits that remote branches stood on when they were last fetched or pushed."""
    return ask(host, top, "for-each-ref", "--format=%(objectname)", "refs/remotes").decode("ascii").split()


def _ahead(host: Door, top: str, commit: str, known: Iterable[str]) -> int:
    """The number of commits up to this one that none of the known ones leads to."""
    stdin = "".join([f"{commit}\n", *(f"^{each}\n" for each in sorted(set(known)))]).encode("ascii")
    return int(ask(host, top, "rev-list", "--count", "--stdin", stdin=stdin))


def _asked(ctx: Context, repository: Repository, commit: str) -> Iterator[Answer]:
    """Ask one remote after the other, until one has the commit."""
    for name, url in repository.remotes:
        ctx.progress.advance(what=name)
        answer = _answer(ctx.host, repository.top, commit, name, url)
        yield answer
        if answer.has:
            return


def _answer(host: Door, top: str, commit: str, name: str, url: str) -> Answer:
    try:
        theirs = tips(host, top, url)
    except (CannotLook, NotApplicable) as error:  # at a path there may be no repository
        return Answer(remote=name, problem=public_text(str(error)))
    types = _types(host, top, theirs)
    here = [each for each, type_ in types.items() if type_ == "commit"]
    if here and _ahead(host, top, commit, here) == 0:
        return Answer(remote=name, has=True)
    return Answer(remote=name, problem="it has commits that are not here" if "missing" in types.values() else None)


def tips(host: Door, top: str, url: str) -> set[str]:
    """The commits that a remote's branches and tags stand on; of an annotated tag, the tag's own name as well."""
    folder = folder_of(url, top)
    if folder is None:
        return set(over_network(host, url).values())
    if host.resolve(folder) == top:
        raise CannotLook("is this repository itself", where=folder, hint="mend the remote's URL")
    if listing.text(ask(host, folder, "rev-parse", "--git-dir")).strip() not in _OWN_FOLDERS:
        raise CannotLook("is no Git repository", where=folder, hint="mend the remote's URL")
    return set(in_folder(host, folder).values())
