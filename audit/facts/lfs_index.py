"""What the repository has committed of the files that `.gitattributes` sends to Git LFS.

Read from the index with plumbing alone: neither git-lfs nor any filter runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from audit.errors import NotApplicable
from audit.facts.git import GitIndex, GitRepository, Repository, ask, relative, within
from audit.formats import git as listing
from audit.formats.git import IndexEntry
from audit.formats.lfs import POINTER_LIMIT, Malformed, Pointer, read_pointer
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door

_REGULAR = frozenset({"100644", listing.EXECUTABLE})
_BATCH = 20_000
"""Objects that one Git process is asked for, so that its answer stays within tens of megabytes."""

_EMPTY = Pointer(hashlib.sha256().hexdigest(), 0)
"""The specification: an empty file is the pointer for an empty file."""


class Blob(NamedTuple):
    """Content that was committed as it is; its size is in bytes."""

    size: int


class Elsewhere(NamedTuple):
    """An object that this clone does not hold: it was made in part, or is damaged."""

    oid: str


Committed = Pointer | Malformed | Blob | Elsewhere


class Indexed(NamedTuple):
    """A file of the index that belongs to Git LFS; its path is relative to the folder that was asked about.

    `committed` is None while a merge leaves it undecided; `sparse` files are left
    out of the work tree on purpose.
    """

    path: str
    committed: Committed | None
    sparse: bool = False


class LfsIndexed(Request[tuple[Indexed, ...]]):
    """The files of Git LFS in the index below the folder `root` (absolute), sorted; none where there is no Git."""

    root: str

    def collect(self, ctx: Context) -> tuple[Indexed, ...]:
        """Ask the index for the files, `.gitattributes` for those of LFS, and the objects for what they are."""
        try:
            repository = ctx.get(GitRepository(folder=self.root))
        except NotApplicable:
            return ()
        entries = _in_lfs(ctx.host, repository.top, _files(ctx, self.root, repository))
        blobs = _blobs(ctx.host, repository.top, sorted({entry.oid for entry in entries if not entry.stage}))
        files = {entry.path: _indexed(repository, entry, blobs) for entry in entries}
        return tuple(files[path] for path in sorted(files))


def _files(ctx: Context, root: str, repository: Repository) -> list[IndexEntry]:
    return [
        entry
        for entry in ctx.get(GitIndex(folder=root)).entries
        if entry.mode in _REGULAR and within(repository, entry.path) and not listing.unsafe(entry.path)
    ]


def _in_lfs(host: Door, top: str, entries: Sequence[IndexEntry]) -> list[IndexEntry]:
    """Keep the entries whose `filter` attribute, as it is in the index, is `lfs`."""
    paths = "".join(f"{entry.path}\0" for entry in entries).encode("utf-8", "surrogateescape")
    said = listing.attributes(ask(host, top, "check-attr", "--cached", "--stdin", "-z", "filter", stdin=paths))
    return [entry for entry in entries if said[entry.path] == "lfs"]


def _indexed(repository: Repository, entry: IndexEntry, blobs: Mapping[str, Committed]) -> Indexed:
    committed = None if entry.stage else blobs[entry.oid]
    return Indexed(relative(repository, entry.path), committed, sparse=entry.flag == "skip-worktree")


def _blobs(host: Door, top: str, oids: Sequence[str]) -> dict[str, Committed]:
    """Find what each object is; only those that may be pointers are read."""
    blobs: dict[str, Committed] = {}
    for start in range(0, len(oids), _BATCH):
        asked = _lines(oids[start : start + _BATCH])
        sizes = listing.sizes(ask(host, top, "cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked))
        blobs |= {oid: Elsewhere(oid) if size is None else Blob(size) for oid, size in sizes.items()}
        small = [oid for oid, size in sizes.items() if size is not None and size < POINTER_LIMIT]
        blobs |= _pointers(host, top, small)
    return blobs


def _pointers(host: Door, top: str, oids: Iterable[str]) -> dict[str, Committed]:
    """Read small objects; those that are no pointers are left out."""
    read = listing.contents(ask(host, top, "cat-file", "--batch", stdin=_lines(oids)))
    found = ((oid, read_pointer(content) if content else _EMPTY) for oid, content in read)
    return {oid: pointer for oid, pointer in found if pointer is not None}


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
