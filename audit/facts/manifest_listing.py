"""A manifest as it is written: its form, its lines, and the folder that they speak of."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import CannotLook
from audit.facts.inside import Inside
from audit.facts.links import Lead
from audit.formats.manifest import bagit, hashdeep, sums
from audit.formats.manifest.bagit import Bag, Oxum
from audit.formats.manifest.listing import LIMIT, Bad, Line, Listing, tidy, unsafe_reason
from audit.records.base import Record
from audit.records.check import Covered, Request
from audit.records.context import Context
from audit.records.door import EntryType

_SMALL = 2**20
"""Bytes of a bag's declaration, and of its information."""


class Source(NamedTuple):
    """One file of lines, by its path relative to the project. `payload` is whether it lists a bag's payload."""

    path: str
    lines: tuple[Line, ...]
    bad: tuple[Bad, ...] = ()
    payload: bool = False


class BagInfo(NamedTuple):
    """What a bag says of itself besides its lists.

    `to_fetch` are paths in the bag that it leaves to be fetched; `not_understood`
    are its manifests in algorithms that are unknown here.
    """

    all_listed_in_all: bool
    oxum: Oxum | None = None
    to_fetch: frozenset[str] = frozenset()
    not_understood: tuple[str, ...] = ()


class Manifest(Record):
    """The lists, and the folder that their paths start from, relative to the project (empty: the project)."""

    form: str
    base: str
    sources: tuple[Source, ...]
    bag: BagInfo | None = None

    def subject(self, path: str) -> str:
        """A listed path, relative to the project."""
        return posixpath.join(self.base, path)


class ManifestListing(Request[Manifest]):
    """The manifest at `path`, or the bag in the folder `path`, in the project at `root` (absolute, without links).

    `algorithm` is that of a checksum file's untagged lines, `base` the folder that its
    paths start from if that is not its own. Raises `CannotLook` where there is no
    manifest, or none that lists anything.
    """

    root: str
    path: str
    algorithm: str | None = None
    base: str | None = None

    def collect(self, ctx: Context) -> Manifest:
        """Read the list, or all lists of a bag."""
        reader = _Reader(ctx, self.root)
        path = tidy(self.path)
        folder = _bag_folder(reader, path)
        manifest = _bag(reader, folder) if folder is not None else _list(reader, path, self)
        lists = [source for source in manifest.sources if source.payload or manifest.bag is None]
        if not any(source.lines or source.bad for source in lists):
            raise CannotLook("it lists no file", where=self.path, hint="a manifest that lists nothing verifies nothing")
        return manifest


class ManifestCovered(Request[Covered]):
    """The files that a manifest lists; see `ManifestListing`."""

    listing: ManifestListing

    def collect(self, ctx: Context) -> Covered:
        """All but the paths that are not opened."""
        manifest = ctx.get(self.listing)
        lines = (line for source in manifest.sources for line in source.lines)
        paths = {manifest.subject(line.path) for line in lines if not unsafe_reason(line.path)}
        return Covered(paths=tuple(sorted(paths)), record=self.listing.path)


class _Reader:
    """Reads files of the project by their paths relative to it."""

    def __init__(self, ctx: Context, root: str) -> None:
        self._host = ctx.host
        self._inside = Inside(ctx.host, root)

    def type(self, path: str) -> EntryType | None:
        found = self._inside.find(path) if path else self._inside.folder("")
        if found.lead is Lead.OUTSIDE or unsafe_reason(path or "."):
            raise CannotLook("lies outside the project", where=path, hint="copy the manifest into the project")
        return found.entry.type if found.entry else None

    def names(self, folder: str) -> list[str]:
        return [entry.name for entry in self._host.scan(self._inside.folder(folder).path)]

    def read(self, path: str, limit: int) -> bytes:
        if self.type(path) is None:
            raise CannotLook("there is no manifest", where=path, hint="mend `manifest:`, or get the file")
        try:
            return self._host.read(self._inside.find(path).path, limit)
        except CannotLook as error:
            raise CannotLook(error.what, where=path, hint=error.hint) from None


def _bag_folder(reader: _Reader, path: str) -> str | None:
    """The folder of the bag that is meant, whether by its own name or by that of its declaration."""
    if path.rpartition("/")[2] == bagit.DECLARATION:
        return path.rpartition("/")[0]
    if reader.type(path) is not EntryType.FOLDER:
        return None
    if reader.type(posixpath.join(path, bagit.DECLARATION)) is None:
        raise CannotLook("a folder without bagit.txt", where=path, hint="name the manifest in it")
    return path


def _list(reader: _Reader, path: str, asked: ManifestListing) -> Manifest:
    data = reader.read(path, LIMIT)
    is_hashdeep = hashdeep.is_hashdeep(data)
    found = hashdeep.parse(data, path) if is_hashdeep else sums.parse(data, path, asked.algorithm)
    base = path.rpartition("/")[0] if asked.base is None else tidy(asked.base)
    if base and unsafe_reason(base):
        raise CannotLook("lies outside the project", where=base, hint="mend `root:`")
    return Manifest(form="hashdeep" if is_hashdeep else "checksums", base=base, sources=(_source(path, found),))


def _bag(reader: _Reader, folder: str) -> Manifest:
    """All lists of a bag; tag files are held against theirs as the payload is."""
    declared = posixpath.join(folder, bagit.DECLARATION)
    bag = bagit.declaration(reader.read(declared, _SMALL), declared)
    names = reader.names(folder)
    sources = tuple(_bag_sources(reader, folder, names, bag))
    if not any(source.payload for source in sources):
        raise CannotLook("a bag without a payload manifest that is understood", where=folder)
    info = posixpath.join(folder, "bag-info.txt")
    fetch = posixpath.join(folder, "fetch.txt")
    later = bagit.fetched(reader.read(fetch, LIMIT), fetch, bag) if "fetch.txt" in names else Listing(())
    about = BagInfo(
        all_listed_in_all=bag.all_listed_in_all,
        oxum=bagit.oxum(reader.read(info, _SMALL), info, bag) if "bag-info.txt" in names else None,
        to_fetch=frozenset(line.path for line in later.lines),
        not_understood=tuple(name for name in names if bagit.manifest_name(name) and not _understood(name)),
    )
    return Manifest(form="bag", base=folder, sources=(*sources, Source(fetch, (), _wrong(later))), bag=about)


def _wrong(fetch: Listing) -> tuple[Bad, ...]:
    """The lines of `fetch.txt` that are malformed, or would have files written out of the bag."""
    judged = ((line.number, line.path, unsafe_reason(line.path)) for line in fetch.lines)
    return fetch.bad + tuple(Bad(number, f"{path!r} {reason}") for number, path, reason in judged if reason)


def _bag_sources(reader: _Reader, folder: str, names: list[str], bag: Bag) -> Iterator[Source]:
    for name in names:
        said = bagit.manifest_name(name)
        if said and _understood(name):
            path = posixpath.join(folder, name)
            yield _source(path, bagit.manifest(reader.read(path, LIMIT), path, bag, said), payload=not said.tags)


def _understood(name: str) -> bool:
    said = bagit.manifest_name(name)
    return said is not None and said.algorithm in bagit.ALGORITHMS


def _source(path: str, found: Listing, *, payload: bool = False) -> Source:
    return Source(path, found.lines, found.bad, payload)
