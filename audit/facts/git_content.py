"""Whether files hold what the index says, without running a filter.

First as they are; where that differs, with the line ends, encodings and keywords
that their attributes ask for, by `git hash-object` itself. A file of Git LFS is
compared with its pointer. What only another filter could decide is said so:
gitattributes(5) lets a repository name any program there.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from audit.errors import CannotLook
from audit.facts.content import Wanted, read_files
from audit.facts.git import ask, refusal
from audit.facts.git_blobs import pointers, sizes
from audit.facts.git_difference import Difference, Way, differs
from audit.formats import git as listing
from audit.formats.git import IndexEntry
from audit.formats.lfs import POINTER_LIMIT, Pointer, read_pointer
from audit.records.context import Context
from audit.records.door import Door, Entry, EntryType

_BATCH_FILES = 500
_BATCH_BYTES = 64 << 20
_MAX_UNREADABLE = 50
_TIMEOUT_S = 600
_SHA1_DIGITS = 40
LFS = "lfs"
_NO_FILTER = {"unspecified", "unset", "set"}


class Doubt(NamedTuple):
    """A tracked file whose stamp is not the index's, and what was seen of it."""

    entry: IndexEntry
    seen: Entry


def compared(ctx: Context, top: str, doubts: Iterable[Doubt]) -> Iterator[Difference]:
    """What a reading of the doubtful files tells."""
    doubts = tuple(doubts)
    yield from _links(ctx.host, top, [doubt.entry for doubt in doubts if doubt.seen.type is EntryType.LINK])
    yield from _files(ctx, top, [doubt for doubt in doubts if doubt.seen.type is not EntryType.LINK])


def _links(host: Door, top: str, entries: Iterable[IndexEntry]) -> Iterator[Difference]:
    """Git keeps the text of a symbolic link as a blob."""
    for entry in entries:
        text = host.target(posixpath.join(top, entry.path))
        content = text.encode("utf-8", "surrogateescape")
        digest = hashlib.sha1(usedforsecurity=False) if len(entry.oid) == _SHA1_DIGITS else hashlib.sha256()
        digest.update(b"blob %d\0" % len(content) + content)
        if digest.hexdigest() != entry.oid:
            yield differs(entry, Way.CHANGED, f"a link to {text}")


def _files(ctx: Context, top: str, files: Sequence[Doubt]) -> Iterator[Difference]:
    """Those of Git LFS by their pointers, all others by their bytes."""
    found = filters(ctx.host, top, [doubt.entry.path for doubt in files])
    stored = _stored(ctx.host, top, [doubt for doubt in files if found[doubt.entry.path] == LFS])
    contents = {doubt for doubt in files if doubt.entry.oid in stored and not _is_pointer(ctx.host, top, doubt)}
    yield from _fetched(ctx, top, [(doubt.entry, stored[doubt.entry.oid]) for doubt in files if doubt in contents])
    yield from _bytes(ctx, top, [doubt for doubt in files if doubt not in contents], found)


def _stored(host: Door, top: str, doubts: Iterable[Doubt]) -> dict[str, Pointer]:
    """The pointers that are committed for these files, by their object names."""
    oids = {doubt.entry.oid for doubt in doubts}
    return pointers(host, top, sizes(host, top, sorted(oids))) if oids else {}


def _is_pointer(host: Door, top: str, doubt: Doubt) -> bool:
    """Whether the file itself is a pointer, as `git lfs` leaves it where content was not fetched."""
    if doubt.seen.stamp.size >= POINTER_LIMIT:
        return False
    try:
        return isinstance(read_pointer(host.read(posixpath.join(top, doubt.entry.path), POINTER_LIMIT)), Pointer)
    except CannotLook:  # the comparison will say why
        return False


def _fetched(ctx: Context, top: str, files: Sequence[tuple[IndexEntry, Pointer]]) -> Iterator[Difference]:
    """Compare content with the pointer that stands for it."""
    paths = {entry.path: posixpath.join(top, entry.path) for entry, _ in files}
    wanted = {paths[entry.path]: Wanted(algorithm="sha256", hex=pointer.oid) for entry, pointer in files}
    found = read_files(ctx, wanted)
    for entry, pointer in files:
        content = found[paths[entry.path]]
        if content.digest is None:
            yield differs(entry, Way.UNREADABLE, content.problem)
        elif content.digest.hex != pointer.oid:
            yield differs(entry, Way.CHANGED, str(content.digest))


def _bytes(ctx: Context, top: str, files: Sequence[Doubt], names: Mapping[str, str | None]) -> Iterator[Difference]:
    """As they are, and those that differ once more as their attributes ask."""
    other: list[tuple[Doubt, str]] = []
    for doubt, oid in _hashed(ctx, top, files, "--no-filters"):
        if oid is None:
            yield differs(doubt.entry, Way.UNREADABLE, "could not be read")
        elif oid != doubt.entry.oid:
            other.append((doubt, oid))
    plain = [doubt for doubt, _ in other if names[doubt.entry.path] is None]
    same = {doubt.entry.path for doubt, oid in _hashed(ctx, top, plain) if oid == doubt.entry.oid}
    for doubt, oid in other:
        name = names[doubt.entry.path]
        if name not in {None, LFS}:
            yield differs(doubt.entry, Way.UNDECIDABLE, f"{oid} before the filter {name!r}")
        elif doubt.entry.path not in same:
            yield differs(doubt.entry, Way.CHANGED, oid)


def filters(host: Door, top: str, paths: Iterable[str]) -> dict[str, str | None]:
    """The filter that the attributes of each path name; None for most."""
    stdin = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    values = listing.attributes(ask(host, top, "check-attr", "-z", "--stdin", "filter", stdin=stdin)) if stdin else {}
    return {path: None if value in _NO_FILTER else value for path, value in values.items()}


def _hashed(ctx: Context, top: str, doubts: Sequence[Doubt], *options: str) -> Iterator[tuple[Doubt, str | None]]:
    """Each file's object name; None where it could not be read."""
    batches = list(_batches(doubts))
    ctx.progress.expect(len(doubts), sum(doubt.seen.stamp.size for doubt in doubts))
    paths = [[doubt.entry.path for doubt in batch] for batch in batches]
    for batch, oids in zip(batches, ctx.map(partial(_object_names, ctx.host, top, options), paths), strict=True):
        ctx.progress.advance(len(batch), sum(doubt.seen.stamp.size for doubt in batch), batch[-1].entry.path)
        yield from zip(batch, oids, strict=True)


def _batches(doubts: Sequence[Doubt]) -> Iterator[list[Doubt]]:
    """Cut into parts that one process hashes in a second or so."""
    batch: list[Doubt] = []
    size = 0
    for doubt in doubts:
        if batch and (len(batch) == _BATCH_FILES or size + doubt.seen.stamp.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(doubt)
        size += doubt.seen.stamp.size
    if batch:
        yield batch


def _object_names(host: Door, top: str, options: Sequence[str], paths: Sequence[str]) -> list[str | None]:
    """`git hash-object` ends at the first file that it cannot read: it is started again behind that one."""
    names: list[str | None] = []
    while len(names) < len(paths):
        stdin = listing.quoted(paths[len(names) :])
        done = host.git(top, "hash-object", *options, "--stdin-paths", stdin=stdin, timeout_s=_TIMEOUT_S)
        names += done.out.decode("ascii").split()
        if done.code:
            names.append(None)
        if names.count(None) > _MAX_UNREADABLE:
            raise refusal(top, "hash-object", done)
    return names
