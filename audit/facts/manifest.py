"""A manifest beside the files that it lists: what each of them holds, and what is there that no line names."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from audit.errors import CannotLook
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dataset_walk import RECORDS
from audit.facts.folder import Below, Blocked, Leaf, everything
from audit.facts.inside import Inside
from audit.facts.links import Lead
from audit.facts.manifest_listing import BagInfo, Manifest, ManifestCovered, ManifestListing
from audit.formats.lfs import POINTER_LIMIT, pointer_size
from audit.formats.manifest.bagit import PAYLOAD, Oxum
from audit.formats.manifest.listing import Bad, Line, unsafe_reason
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.digests import Stamp
from audit.records.door import Door, EntryType

__all__ = [
    "Bad",
    "BagInfo",
    "Lead",
    "Listed",
    "Manifest",
    "ManifestCovered",
    "ManifestFiles",
    "ManifestListing",
    "ManifestState",
    "Unsafe",
]

_OURS = re.compile(r".*\.dvc|reports/(\.gitignore|latest|\d{8}T\d{6}Z-[a-z]+/report\.(html|json))", re.DOTALL)
"""Files beside data that DVC and the audit write; others of them are in `RECORDS`."""


class Listed(NamedTuple):
    """A line of a manifest, and what it leads to. `path` is relative to the project, `source` the manifest's own path.

    `other_name` is the name under which the file is there, where that differs in its
    Unicode normal form. `content` is there if the size is not wrong already, `problem` is
    why it cannot be looked at. `pointer`
    says that a Git LFS pointer stands in its place: of how many bytes, if it tells.
    """

    path: str
    source: str
    line: Line
    lead: Lead
    type: EntryType | None
    location: str
    stamp: Stamp | None = None
    other_name: str | None = None
    content: FileContent | None = None
    problem: str = ""
    pointer: tuple[bool, int | None] = (False, None)

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.stamp.size if self.stamp else 0

    @property
    def matches(self) -> bool:
        """Whether its bytes are those that were listed."""
        return self.agrees and not (self.content and self.content.collides)

    @property
    def agrees(self) -> bool:
        """Whether its digest is the one that was listed."""
        return bool(self.content and self.content.digest and self.content.digest.hex == self.line.hex)


class Unsafe(NamedTuple):
    """A line whose path was not opened, and why."""

    source: str
    line: Line
    reason: str


class ManifestState(Record):
    """All that a manifest lists, and what else is there.

    Paths are relative to the project. `extra` are files that no line names; `twins` are
    names that are one name after NFC; both, and `blocked`, are empty where nothing made
    it necessary to list the folder. `unlisted` are payload files of a bag, each with a
    manifest that leaves it out; `payload` is the sum of what is there of them.
    """

    manifest: Manifest
    listed: tuple[Listed, ...]
    unsafe: tuple[Unsafe, ...] = ()
    extra: tuple[str, ...] = ()
    twins: tuple[tuple[str, ...], ...] = ()
    blocked: tuple[Blocked, ...] = ()
    unlisted: tuple[tuple[str, str], ...] = ()
    payload: Oxum | None = None


class ManifestFiles(Request[ManifestState]):
    """The files of a manifest, read; with `whole`, its folder is searched for files that it does not list."""

    listing: ManifestListing
    whole: bool = False

    def collect(self, ctx: Context) -> ManifestState:
        """Find all files first, then read them in one go."""
        manifest, inside = ctx.get(self.listing), Inside(ctx.host, self.listing.root)
        placed = list(_placed(manifest, inside))
        search = self.whole or manifest.bag is not None or not all(each.path.isascii() for each in placed)
        found = _found(ctx, manifest, inside) if search else Below((), ())
        forms = _forms(found)
        listed = _read(ctx, _renamed(placed, forms))
        return ManifestState(
            manifest=manifest,
            listed=tuple(listed),
            unsafe=tuple(_unsafe(manifest)),
            extra=tuple(_extra(manifest, listed, found)),
            twins=tuple(tuple(leaf.path for leaf in twins) for twins in forms.values() if len(twins) > 1),
            blocked=found.blocked,
            unlisted=tuple(_unlisted(manifest)),
            payload=_payload(manifest, found),
        )


def _placed(manifest: Manifest, inside: Inside) -> Iterator[Listed]:
    """Find what each line leads to; one that is repeated word for word counts once."""
    seen = set()
    for source in manifest.sources:
        for line in source.lines:
            once = (source.path, line.path, line.algorithm, line.hex)
            if once not in seen and not unsafe_reason(line.path):
                seen.add(once)
                yield _look(inside, source.path, line, manifest.subject(line.path))


def _look(inside: Inside, source: str, line: Line, path: str) -> Listed:
    try:
        end = inside.find(path)
    except CannotLook as error:
        return Listed(path, source, line, Lead.NOWHERE, None, "", problem=error.what)
    kind, stamp = (end.entry.type, end.entry.stamp) if end.entry else (None, None)
    return Listed(path, source, line, end.lead, kind, end.path, stamp)


def _unsafe(manifest: Manifest) -> Iterator[Unsafe]:
    for source in manifest.sources:
        for line in source.lines:
            if reason := unsafe_reason(line.path):
                yield Unsafe(source.path, line, reason)


def _found(ctx: Context, manifest: Manifest, inside: Inside) -> Below:
    """List the manifest's folder, paths relative to the project; in a bag every name counts."""
    folder = inside.folder(manifest.base)
    if folder.entry is None or folder.entry.type is not EntryType.FOLDER:
        raise CannotLook("there is no such folder in the project", where=manifest.base, hint="mend `root:`")
    leave_out = RECORDS if manifest.bag is None else frozenset[str]()
    found = everything(ctx, folder.path, (inside.root,), leave_out)
    leaves = (leaf._replace(path=manifest.subject(leaf.path)) for leaf in found.leaves)
    return Below(tuple(leaves), tuple(Blocked(manifest.subject(path), why) for path, why in found.blocked))


def _forms(found: Below) -> dict[str, list[Leaf]]:
    """Group names that are not plain ASCII by what they are after NFC."""
    forms = defaultdict(list)
    for leaf in found.leaves:
        if not leaf.path.isascii():
            forms[unicodedata.normalize("NFC", leaf.path)].append(leaf)
    return dict(forms)


def _renamed(placed: Iterable[Listed], forms: Mapping[str, list[Leaf]]) -> Iterator[Listed]:
    """Give a name that leads nowhere the one file whose name is the same after NFC, if no other line names that."""
    placed = list(placed)
    known = {each.path for each in placed}
    for each in placed:
        named = [] if each.path.isascii() else forms.get(unicodedata.normalize("NFC", each.path), [])
        free = [leaf for leaf in named if leaf.path not in known and leaf.stamp is not None]
        if each.type is None and each.lead is Lead.NOWHERE and not each.problem and len(free) == 1:
            yield _under(each, free[0])
        else:
            yield each


def _under(each: Listed, leaf: Leaf) -> Listed:
    return each._replace(
        lead=Lead.INSIDE, type=EntryType.FILE, location=leaf.location, stamp=leaf.stamp, other_name=leaf.path
    )


def _read(ctx: Context, placed: Iterable[Listed]) -> list[Listed]:
    """Read the files whose size is not wrong already, once for each algorithm that they are listed with."""
    placed = list(placed)
    wanted: dict[str, dict[str, Wanted]] = defaultdict(dict)
    for each in placed:
        if each.type is EntryType.FILE and each.line.size in {None, each.size}:
            algorithm = each.line.algorithm
            wanted[algorithm][each.location] = Wanted(algorithm=algorithm, hex=each.line.hex, stamp=each.stamp)
    contents = {algorithm: read_files(ctx, files) for algorithm, files in sorted(wanted.items())}
    return [_with(ctx.host, each, contents.get(each.line.algorithm, {}).get(each.location)) for each in placed]


def _with(host: Door, each: Listed, content: FileContent | None) -> Listed:
    read = each._replace(content=content, problem=content.problem or "" if content else each.problem)
    return read if read.matches else read._replace(pointer=_pointer(host, read))


def _pointer(host: Door, each: Listed) -> tuple[bool, int | None]:
    """Tell a Git LFS pointer in place of content."""
    if each.type is not EntryType.FILE or each.size >= POINTER_LIMIT:
        return False, None
    try:
        return pointer_size(host.read(each.location, POINTER_LIMIT))
    except CannotLook:  # named as unreadable already
        return False, None


def _extra(manifest: Manifest, listed: Iterable[Listed], found: Below) -> Iterator[str]:
    """Name what is there and not listed: in a bag of its payload alone, elsewhere of all but records of other tools."""
    known = {each.other_name or each.path for each in listed} | {source.path for source in manifest.sources}
    payload = manifest.subject(PAYLOAD)
    for leaf in found.leaves:
        counts = leaf.path.startswith(payload) if manifest.bag else not _OURS.fullmatch(leaf.path)
        if counts and leaf.path not in known:
            yield leaf.path


def _unlisted(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Name what only a part of a bag's payload manifests lists, where each must list all."""
    if manifest.bag and manifest.bag.all_listed_in_all:
        lists = {source.path: {line.path for line in source.lines} for source in manifest.sources if source.payload}
        everywhere = manifest.bag.to_fetch.union(*lists.values())
        for name, paths in sorted(lists.items()):
            safe = (path for path in sorted(everywhere - paths) if not unsafe_reason(path))
            yield from ((manifest.subject(path), name) for path in safe)


def _payload(manifest: Manifest, found: Below) -> Oxum | None:
    if manifest.bag is None:
        return None
    prefix = manifest.subject(PAYLOAD)
    sizes = [leaf.stamp.size for leaf in found.leaves if leaf.path.startswith(prefix) and leaf.stamp]
    return Oxum(sum(sizes), len(sizes))
