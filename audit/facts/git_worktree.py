"""How a work tree differs from the commit it stands on.

`git status` would run the repository's own filters, and trusts flags that hide
changes (`assume-unchanged`, `skip-worktree`), so the files are looked at here. One
whose stamp is the one in the index, and older than the index, is as Git left it
(Documentation/technical/racy-git.txt); the content of every other one is compared.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from audit.facts.git import GitIndex, GitRepository, Index, Repository, ask, own_repository, relative, within
from audit.facts.git_content import LFS, Doubt, compared, filters
from audit.facts.git_difference import Difference, Way, differs
from audit.formats import git as listing
from audit.formats.git import EXECUTABLE, GITLINK, LINK, IndexEntry, IndexStamp, Leaf
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Door, Entry, EntryType

__all__ = ["Difference", "GitWorktree", "Submodule", "Way", "Worktree"]

_32_BITS = 0xFFFF_FFFF
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
"""What lies in Git's own folder while an operation is not concluded (gitrevisions(7), builtin/rebase.c)."""


class Submodule(Record):
    """A submodule: the commit recorded for it, the one checked out (None: nothing is), and its own work tree."""

    path: str
    recorded: str
    head: str | None
    worktree: Worktree | None


class Worktree(Record):
    """What differs, in the order of paths, as seen from the asked folder.

    `head` is None before the first commit. `tracked` counts the files looked at,
    `flagged` those with a bit that can hide changes, `sparse` those that a sparse
    checkout leaves out. An untracked folder that is a repository of its own ends in
    a slash. `in_lfs` are those of the paths that `.gitattributes` sends to Git LFS;
    `under_way` says that a merge or the like is not concluded.
    """

    head: str | None
    tracked: int
    flagged: int
    sparse: int
    differences: tuple[Difference, ...]
    untracked: tuple[str, ...]
    submodules: tuple[Submodule, ...]
    in_lfs: frozenset[str] = frozenset()
    under_way: bool = False


class GitWorktree(Request[Worktree]):
    """How the files of `folder`, or with `whole` of its whole repository, differ from what is committed."""

    folder: str
    whole: bool = False

    def collect(self, ctx: Context) -> Worktree:
        """Compare the commit with the index, the index with the files, and do the same in each submodule."""
        repository = ctx.get(GitRepository(folder=self.folder))
        index = ctx.get(GitIndex(folder=self.folder))
        entries = [entry for entry in index.entries if self.whole or within(repository, entry.path)]
        files = [entry for entry in entries if not entry.stage and entry.mode != GITLINK]
        links = [entry for entry in entries if not entry.stage and entry.mode == GITLINK]
        looked = _Look(ctx.host, repository, index.mtime_ns, deep=ctx.deep)
        found = [*_unmerged(entries), *looked.at(files), *compared(ctx, repository.top, looked.doubts)]
        found += [each for each in _staged(ctx.host, repository, index) if self.whole or within(repository, each.path)]
        differences = sorted(each._replace(path=relative(repository, each.path)) for each in found)
        untracked = sorted(_untracked(ctx.host, repository, whole=self.whole))
        paths = {*(each.path for each in differences), *untracked}
        return Worktree(
            head=repository.head,
            tracked=len(files),
            flagged=sum(entry.flag is not None for entry in files),
            sparse=looked.sparse,
            differences=tuple(differences),
            untracked=tuple(untracked),
            submodules=tuple(_submodule(ctx, repository, entry) for entry in links),
            in_lfs=frozenset(_in_lfs(ctx.host, repository, paths)),
            under_way=_under_way(ctx.host, repository.top),
        )


class _Look:
    """A look at each tracked file; those that only a reading can judge are kept as doubts."""

    def __init__(self, host: Door, repository: Repository, written_ns: int, *, deep: bool) -> None:
        self._host, self._repository, self._written_ns, self._deep = host, repository, written_ns, deep
        self._folders = {"": True}
        self.doubts: list[Doubt] = []
        self.sparse = 0

    def at(self, entries: Iterable[IndexEntry]) -> Iterator[Difference]:
        """What the looks tell."""
        for entry in entries:
            if listing.unsafe(entry.path):
                yield differs(entry, Way.UNSAFE, "a path that Git would not write")
                continue
            found = self._entry(entry.path)
            if found is None and entry.flag == "skip-worktree":
                self.sparse += 1
            elif found is None:
                yield differs(entry, Way.MISSING, "nothing")
            else:
                yield from self._judged(entry, found)

    def _judged(self, entry: IndexEntry, found: Entry) -> Iterator[Difference]:
        if found.type is not self._type(entry, found):
            yield differs(entry, Way.TYPE, found.type)
            return
        if self._repository.file_mode and entry.mode != LINK and found.executable != (entry.mode == EXECUTABLE):
            yield differs(entry, Way.MODE, "executable" if found.executable else "not executable")
        if self._deep or not _as_git_left_it(entry, found.stamp, self._written_ns):
            self.doubts.append(Doubt(entry, found))

    def _type(self, entry: IndexEntry, found: Entry) -> EntryType:
        """The type that the entry asks for; where links cannot be made, Git writes them as files."""
        if entry.mode != LINK or (found.type is EntryType.FILE and not self._repository.symlinks):
            return EntryType.FILE
        return EntryType.LINK

    def _entry(self, path: str) -> Entry | None:
        """What is at a path; nothing, as to Git, where a link stands in for one of its folders."""
        if not self._is_real(path.rpartition("/")[0]):
            return None
        return self._host.look(f"{self._repository.top}/{path}")

    def _is_real(self, folder: str) -> bool:
        if folder not in self._folders:
            found = self._entry(folder)
            self._folders[folder] = found is not None and found.type is EntryType.FOLDER
        return self._folders[folder]


def _as_git_left_it(entry: IndexEntry, stamp: Stamp, written_ns: int) -> bool:
    """Whether the stamp proves that the content is the index's.

    A file as young as the index may have changed after it was written; one of size
    0 may be an entry that Git marked as doubtful by that size.
    """
    if entry.stamp is None or not entry.stamp.size or stamp.mtime_ns >= written_ns:
        return False
    now = IndexStamp(stamp.mtime_ns, stamp.ctime_ns, stamp.inode & _32_BITS, stamp.size & _32_BITS)
    return now == entry.stamp


def _unmerged(entries: Iterable[IndexEntry]) -> Iterator[Difference]:
    """One difference a path, of the up to three that the index has for it."""
    undecided = {entry.path: entry for entry in entries if entry.stage}
    return (differs(entry, Way.UNMERGED, "a merge that is not concluded") for entry in undecided.values())


def _staged(host: Door, repository: Repository, index: Index) -> Iterator[Difference]:
    """What the index adds to the commit, changes in it, or leaves out."""
    if repository.head is None:
        return
    committed = listing.tree_leaves(ask(host, repository.top, "ls-tree", "-r", "-z", "--full-tree", repository.head))
    staged = [Leaf(entry.path, entry.mode, entry.oid) for entry in index.entries if not entry.stage]
    undecided = {entry.path for entry in index.entries if entry.stage}
    before, after = {leaf.path: leaf for leaf in committed}, {leaf.path: leaf for leaf in staged}
    for path in {leaf.path for leaf in set(committed).symmetric_difference(staged)} - undecided:
        yield Difference(path, Way.STAGED, _said(before.get(path)), _said(after.get(path)))


def _said(leaf: Leaf | None) -> str:
    return f"{leaf.mode} {leaf.oid}" if leaf else "nothing"


def _untracked(host: Door, repository: Repository, *, whole: bool) -> Iterator[str]:
    at = repository.top if whole else posixpath.join(repository.top, repository.prefix)
    for name in listing.names(ask(host, at, "ls-files", "--others", "--exclude-standard", "-z")):
        seen = relative(repository, name) if whole else name.rstrip("/")
        yield f"{seen}/" if name.endswith("/") else seen


def _in_lfs(host: Door, repository: Repository, paths: Iterable[str]) -> Iterator[str]:
    seen = {posixpath.normpath(posixpath.join(repository.prefix, path)): path for path in sorted(paths)}
    asked = [path for path in seen if not listing.unsafe(path)]
    return (seen[path] for path, name in filters(host, repository.top, asked).items() if name == LFS)


def _under_way(host: Door, top: str) -> bool:
    asked = (word for name in _UNDER_WAY for word in ("--git-path", name))
    places = listing.text(ask(host, top, "rev-parse", *asked)).rstrip("\n").split("\n")
    return any(host.look(posixpath.join(top, place)) for place in places)


def _submodule(ctx: Context, repository: Repository, entry: IndexEntry) -> Submodule:
    folder = posixpath.join(repository.top, entry.path)
    own = own_repository(ctx, folder)
    return Submodule(
        path=relative(repository, entry.path),
        recorded=entry.oid,
        head=own.head if own else None,
        worktree=ctx.get(GitWorktree(folder=folder, whole=True)) if own else None,
    )
