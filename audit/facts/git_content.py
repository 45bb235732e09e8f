"""Whether files hold what the index says, without running a filter.

First as they are; where that differs, with the line ends, encodings and keywords
that their attributes ask for, by `git hash-object` itself. A file of Git LFS is
compared with its pointer. What only another filter could decide is said so:
gitattributes(5) lets a repository name any program there.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from audit.facts.git import ask, refusal
from audit.facts.git_difference import Difference, Way, differs
from audit.formats import git as listing
from audit.formats.git import IndexEntry
from audit.records.context import Context
from audit.records.door import Door, Entry, EntryType

_BATCH_FILES = 500
_BATCH_BYTES = 64 << 20
_MAX_UNREADABLE = 50
_TIMEOUT_S = 600
_SHA1_DIGITS = 40
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
    """As they are, and those that differ once more as their attributes ask."""
    other: dict[str, tuple[Doubt, str]] = {}
    for doubt, oid in _hashed(ctx, top, files, "--no-filters"):
        if oid is None:
            yield differs(doubt.entry, Way.UNREADABLE, "it could not be read")
        elif oid != doubt.entry.oid:
            other[doubt.entry.path] = doubt, oid
    filters = _filters(ctx.host, top, other)
    plain = [doubt for path, (doubt, _) in other.items() if filters[path] is None]
    converted = {doubt.entry.path: oid for doubt, oid in _hashed(ctx, top, plain)}
    for path, (doubt, oid) in other.items():
        if name := filters[path]:
            yield differs(doubt.entry, Way.UNDECIDABLE, f"{oid} before the filter {name!r}")
        elif converted[path] != doubt.entry.oid:
            yield differs(doubt.entry, Way.CHANGED, oid)


def _filters(host: Door, top: str, paths: Iterable[str]) -> dict[str, str | None]:
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
