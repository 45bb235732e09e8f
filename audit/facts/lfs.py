"""Git LFS files: what is committed of each, and what stands in the work tree; pointers that stand anywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from audit.errors import CannotLook, NotApplicable
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dataset import Expansion
from audit.facts.inside import Inside
from audit.facts.lfs_index import Blob, Committed, Elsewhere, Indexed, LfsIndexed
from audit.facts.links import Lead
from audit.formats.lfs import POINTER_LIMIT, Malformed, Pointer, read_pointer
from audit.records.base import Record
from audit.records.check import Covered, Request
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Door, EntryType

__all__ = [
    "Blob",
    "Committed",
    "Elsewhere",
    "Lead",
    "Lfs",
    "LfsCovered",
    "LfsFile",
    "LfsFiles",
    "Malformed",
    "Pointer",
    "Stray",
]

_SMALLEST = 40
"""Bytes below which a text holds too little of a pointer to be told from any other."""


class LfsFile(NamedTuple):
    """A file that belongs to Git LFS; its path is relative to the project.

    `type` is what the path leads to (None: nothing to look at, `lead` says why).
    `standin` is a pointer, well formed or not, that stands in
    place of content. `content` is there where the size is as committed, so that
    only the digest can tell; `problem` is why it could not be read.
    """

    path: str
    location: str
    committed: Committed | None
    sparse: bool
    lead: Lead
    type: EntryType | None = None
    stamp: Stamp | None = None
    standin: Pointer | Malformed | None = None
    content: FileContent | None = None
    problem: str = ""

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.stamp.size if self.stamp else 0


class Stray(NamedTuple):
    """A pointer, well formed or not, where `.gitattributes` sends nothing to Git LFS."""

    path: str
    size: int
    found: Pointer | Malformed


class Lfs(Record):
    """All files of Git LFS, and all stray pointers, sorted by path."""

    files: tuple[LfsFile, ...]
    strays: tuple[Stray, ...]


class LfsFiles(Request[Lfs]):
    """The files of Git LFS in the project at `root` (absolute, without links), their content read.

    Stray pointers are looked for in all other small files, names that begin with a
    dot left out. Raises `NotApplicable` where there is neither.
    """

    root: str

    def collect(self, ctx: Context) -> Lfs:
        """Look at each file first, then read those whose size is right in one go."""
        inside = Inside(ctx.host, self.root)
        seen = [_seen(ctx.host, inside, file) for file in ctx.get(LfsIndexed(root=self.root))]
        contents = read_files(ctx, {file.location: wanted for file, wanted in _to_read(seen)})
        files = tuple(file._replace(content=contents.get(file.location)) for file in seen)
        strays = tuple(_strays(ctx, self.root, {file.path for file in files}))
        if not files and not strays:
            raise NotApplicable("nothing here is kept in Git LFS")
        return Lfs(files=files, strays=strays)


class LfsCovered(Request[Covered]):
    """The paths below `root` whose content a committed pointer records."""

    root: str

    def collect(self, ctx: Context) -> Covered:
        """All but those that a sparse work tree leaves out: they are not there to be verified."""
        files = ctx.get(LfsIndexed(root=self.root))
        return Covered(
            paths=tuple(file.path for file in files if isinstance(file.committed, Pointer) and not file.sparse)
        )


def _seen(host: Door, inside: Inside, file: Indexed) -> LfsFile:
    """Look at a file, and into it if it is small enough to be a pointer."""
    seen = LfsFile(file.path, "", file.committed, file.sparse, Lead.NOWHERE)
    try:
        place = inside.find(file.path)
        seen = seen._replace(location=place.path, lead=place.lead)
        if place.entry is None:
            return seen
        seen = seen._replace(type=place.entry.type, stamp=place.entry.stamp)
        if seen.type is not EntryType.FILE or not _small(seen.size):
            return seen
        return seen._replace(standin=read_pointer(host.read(place.path, POINTER_LIMIT)))
    except CannotLook as error:
        return seen._replace(problem=error.what)


def _small(size: int) -> bool:
    return _SMALLEST <= size < POINTER_LIMIT


def _to_read(files: Iterable[LfsFile]) -> Iterator[tuple[LfsFile, Wanted]]:
    """Choose the files that only their digest can judge: a wrong size has judged already."""
    for file in files:
        pointer = file.committed
        if isinstance(pointer, Pointer) and file.type is EntryType.FILE and not file.problem:
            sized = not file.standin if pointer.size is None else pointer.size == file.size
            if sized:
                yield file, Wanted(algorithm="sha256", hex=pointer.oid, stamp=file.stamp)


def _strays(ctx: Context, root: str, known: set[str]) -> Iterator[Stray]:
    """Find pointers among the project's other small files; what cannot be read is no concern of Git LFS."""
    for file in ctx.get(Expansion(root=root, path="**/*")).files:
        if _small(file.stamp.size) and file.path not in known and (found := _peek(ctx.host, file.location)):
            yield Stray(file.path, file.stamp.size, found)


def _peek(host: Door, path: str) -> Pointer | Malformed | None:
    try:
        return read_pointer(host.read(path, POINTER_LIMIT))
    except CannotLook:
        return None
