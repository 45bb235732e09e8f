"""A Git repository that something was taken from: whether what was taken is still what it says, and still there."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from audit.errors import CannotLook
from audit.facts.git import ask
from audit.facts.git_references import ASK_TIMEOUT_S, HEAD, OBJECT_NAME, PEELED, folder_of, in_folder, over_network
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door

_ABBREVIATED = re.compile(r"(?:.*-g)?([0-9a-f]{4,64})", re.ASCII)
"""A commit's name cut short, or as `git describe` spells it (gitrevisions(7))."""

_EXPRESSION = re.compile(r"[~^:?*\[\\\s]|@\{|\.\.|^@$")
"""What no reference's name can hold (git-check-ref-format(1)): such a revision is reckoned from others."""


class Kept(StrEnum):
    """Whether a repository still has a commit."""

    YES = "yes"
    LOOSE = "loose"
    """It has, but no branch or tag leads there: the next clean-up may remove it."""
    NO = "no"
    UNKNOWN = "unknown"
    """Only a clone can tell."""


class Now(NamedTuple):
    """What a revision stands for now: a commit, None if there is no such branch or tag; whether a tag says so."""

    commit: str | None
    is_tag: bool = False


class Source(Record):
    """What a repository answered: references as `git_references` has them, HEAD among them.

    `folder` is where it lies on this machine; None if it was asked over a network.
    """

    folder: str | None
    references: dict[str, str]


class GitSource(Request[Source]):
    """The repository at `url`, which is never shown; a relative path is taken from the folder `base`."""

    base: str
    url: str
    timeout_s: float = ASK_TIMEOUT_S

    def collect(self, ctx: Context) -> Source:
        """Read its references. Raises `CannotLook` or `NotApplicable` where there is no repository."""
        folder = folder_of(self.url, self.base)
        if folder is not None:
            return Source(folder=folder, references=in_folder(ctx.host, folder, head=True))
        found = over_network(ctx.host, self.url, head=True, timeout_s=self.timeout_s)
        return Source(folder=None, references=found)


def is_commit(name: str) -> bool:
    """Whether it is the whole name of a commit, which never comes to mean another one."""
    return OBJECT_NAME.fullmatch(name) is not None


def now(host: Door, source: Source, rev: str | None, commit: str) -> Now:
    """What the revision that once gave `commit` stands for now; None means HEAD."""
    for name in (HEAD,) if rev is None else (rev, f"refs/{rev}", f"refs/tags/{rev}", f"refs/heads/{rev}"):
        if name in source.references:
            return Now(source.references.get(name + PEELED, source.references[name]), name.startswith("refs/tags/"))
    if rev is None:
        raise CannotLook("its HEAD stands for no commit")
    if is_commit(rev):
        return Now(rev)
    short = _ABBREVIATED.fullmatch(rev)
    if short and commit.startswith(short[1]):
        return Now(commit)
    return _reckoned(host, source, rev)


def _reckoned(host: Door, source: Source, rev: str) -> Now:
    if source.folder is not None:
        done = host.git(source.folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        return Now(None if done.code else done.out.decode("ascii").strip())
    if _EXPRESSION.search(rev):
        raise CannotLook(f"what {rev!r} stands for there, only a clone can tell")
    return Now(None)


def kept(host: Door, source: Source, commit: str) -> Kept:
    """Whether the repository still has the commit; over a network that is certain of branches' and tags' own alone."""
    if commit in source.references.values():
        return Kept.YES
    if source.folder is None:
        return Kept.UNKNOWN
    said = ask(host, source.folder, "cat-file", "--batch-check=%(objecttype)", stdin=f"{commit}\n".encode("ascii"))
    if said.strip() != b"commit":
        return Kept.NO
    known = "".join(f"^{each}\n" for each in sorted(set(source.references.values())))
    stdin = f"{commit}\n{known}".encode("ascii")
    return Kept.LOOSE if ask(host, source.folder, "rev-list", "--max-count=1", "--stdin", stdin=stdin) else Kept.YES
