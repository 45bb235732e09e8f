"""How large the blobs are that Git tracks, and which of them stand for content in Git LFS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from audit.facts.git import GitIndex, GitRepository, ask, relative, within
from audit.formats import git as listing
from audit.formats.git import GITLINK, LINK
from audit.formats.lfs import POINTER_LIMIT, Pointer, read_pointer
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door

_BATCH = 20_000
_SMALLEST_POINTER = 100
"""Bytes: the version line, a SHA-256 and a size take more."""


class Blob(NamedTuple):
    """A tracked file as Git keeps it: `size` in bytes, None where this clone does not have the blob."""

    path: str
    size: int | None
    pointer: bool


class GitBlobs(Request[tuple[Blob, ...]]):
    """The regular files that the index tracks in `folder`, staged ones included, in the order of their paths.

    Those that match one of `perhaps_pointers` (shell patterns) are opened to see whether they are pointers.
    """

    folder: str
    perhaps_pointers: tuple[str, ...] = ()

    def collect(self, ctx: Context) -> tuple[Blob, ...]:
        """Ask for all sizes at once; nothing of the work tree is read."""
        repository = ctx.get(GitRepository(folder=self.folder))
        entries = {
            relative(repository, entry.path): entry.oid
            for entry in ctx.get(GitIndex(folder=self.folder)).entries
            if entry.mode not in {GITLINK, LINK} and within(repository, entry.path)
        }
        known = sizes(ctx.host, repository.top, sorted(set(entries.values())))
        asked = {oid for path, oid in entries.items() if any(fnmatchcase(path, each) for each in self.perhaps_pointers)}
        found = pointers(ctx.host, repository.top, {oid: known[oid] for oid in sorted(asked)})
        return tuple(Blob(path, known[oid], oid in found) for path, oid in sorted(entries.items()))


def sizes(host: Door, top: str, oids: Sequence[str]) -> dict[str, int | None]:
    """The size of each object, in bytes; None where this clone does not have it."""
    found: dict[str, int | None] = {}
    for start in range(0, len(oids), _BATCH):
        stdin = _lines(oids[start : start + _BATCH])
        found |= listing.sizes(ask(host, top, "cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=stdin))
    return found


def pointers(host: Door, top: str, known: Mapping[str, int | None]) -> dict[str, Pointer]:
    """Those of the objects, given with their sizes, that are well-formed pointers of Git LFS."""
    small = [oid for oid, size in known.items() if size is not None and _SMALLEST_POINTER <= size < POINTER_LIMIT]
    found: dict[str, Pointer] = {}
    for start in range(0, len(small), _BATCH):
        out = ask(host, top, "cat-file", "--batch", stdin=_lines(small[start : start + _BATCH]))
        read = ((oid, read_pointer(content)) for oid, content in listing.contents(out))
        found |= {oid: pointer for oid, pointer in read if isinstance(pointer, Pointer)}
    return found


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")
