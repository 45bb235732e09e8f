"""Where the paths lead that annotation files list: to files of the dataset, or astray."""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from audit.errors import Cancelled, CannotLook
from audit.facts.dataset import Files
from audit.facts.inside import Inside
from audit.facts.links import Lead, Target
from audit.formats.glob import has_signs
from audit.formats.manifest.listing import tidy, unsafe_reason
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.door import EntryType
from audit.records.labels import Astray
from audit.records.words import Severity

_FEW = 3
_SAMPLE = 100
_SHOWN = 80

_OWN = "its own folder"
_Bases = Mapping[str, str | None]
"""Folders that listed paths may be relative to, in words; None is the annotation file's own."""


class Listing(NamedTuple):
    """The paths of one annotation file, each with the place where it stands first (`line 3`).

    Those that must not be opened come with the reason as well.
    """

    source: str
    safe: Mapping[str, str]
    unsafe: Mapping[str, tuple[str, str]]


class Placed(NamedTuple):
    """What listed paths lead to, by annotation file and path as listed: a path relative to the project.

    `base` says in words what they are relative to.
    """

    paths: Mapping[str, Mapping[str, str]]
    base: str
    astray: tuple[Astray, ...]


class Places:
    """The files of a dataset, found by the paths that annotation files list; and where other paths lead."""

    def __init__(self, ctx: Context, root: str, dataset: Dataset, files: Files) -> None:
        self._ctx, self._dataset = ctx, dataset
        self._inside = Inside(ctx.host, root)
        self._known = frozenset(file.path for file in files.files)
        self._barred = frozenset(one.path for one in files.obstacles)
        self._twins = _twins(self._known)

    def find(self, listings: Sequence[Listing], base: str | None) -> Placed:
        """Find the files. Paths are relative to `base`, a folder of the project; without one, to what most of them fit.

        That is the folder of the annotation file, the project's, or the dataset's. Raises `CannotLook` for a base that
        leads out of the project.
        """
        bases = _bases(self._dataset, base)
        chosen = next(iter(bases)) if len(bases) == 1 else self._best(bases, listings)
        paths = {one.source: {each: _joined(bases[chosen], one.source, each) for each in one.safe} for one in listings}
        astray: dict[tuple[str, str], Astray] = {}
        for one in listings:
            if self._ctx.cancelled():
                raise Cancelled("interrupted while listed files were looked for")
            for found in (*_unsafe(one), *self._astray(one, paths[one.source])):
                astray.setdefault((found.path, found.kind), found)
        return Placed(paths, chosen, tuple(_once(astray.values(), bases, paths)))

    def _best(self, bases: _Bases, listings: Sequence[Listing]) -> str:
        """The base under which most paths are files of the dataset; or, where none is, most of the first are there."""
        fits = {words: self._fitting(listings, base) for words, base in bases.items()}
        if not any(fits.values()):
            fits = {words: self._there(listings, base) for words, base in bases.items()}
        return max(fits, key=lambda words: fits[words])

    def _fitting(self, listings: Sequence[Listing], base: str | None) -> int:
        return sum(self._member(_joined(base, one.source, path)) is not None for one in listings for path in one.safe)

    def _there(self, listings: Sequence[Listing], base: str | None) -> int:
        paths = (_joined(base, one.source, path) for one in listings for path in one.safe)
        return sum(self._look(path)[0] != "missing" for path in islice(paths, _SAMPLE))

    def _member(self, path: str) -> str | None:
        """The file of the dataset that is meant: of that name, or of the one name that is the same after NFC."""
        if path in self._known:
            return path
        twins = [] if path.isascii() else self._twins.get(unicodedata.normalize("NFC", path), [])
        return twins[0] if len(twins) == 1 else None

    def _astray(self, listing: Listing, paths: dict[str, str]) -> Iterator[Astray]:
        """Tell what is astray; a path that is spelled otherwise in the dataset is put right in `paths`."""
        for listed, path in paths.items():
            member = self._member(path)
            where = f"{listing.source}, {listing.safe[listed]}"
            if member is None and path not in self._barred:
                self._ctx.progress.advance(what=path)
                kind, what = self._look(path)
                unseen = kind in {"unreadable", "outside"}
                yield Astray(path, kind, f"{what} (listed in {where})", unseen=unseen)
            elif member is not None and member != path:
                paths[listed] = member
                what = f"matches after NFC; the byte names differ (listed in {where})"
                yield Astray(member, "normalisation", what, Severity.WARNING)

    def _look(self, path: str) -> tuple[str, str]:
        """The kind of what is at a path that is not in the dataset, and the words for it."""
        try:
            return self._told(self._inside.find(path))
        except CannotLook as error:
            return "unreadable", error.what

    def _told(self, end: Target) -> tuple[str, str]:
        if end.lead is Lead.OUTSIDE:
            return "outside", "is a link that leaves the project; it was not followed"
        if end.entry is None:
            return "missing", "is not there"
        if end.entry.type is not EntryType.FILE:
            return "type", "is no file"
        what = f"is not in the dataset {self._dataset.name!r} ({self._dataset.path})"
        return "elsewhere", f"{what}: its header was not read"


def _twins(known: Collection[str]) -> Mapping[str, list[str]]:
    found = defaultdict(list)
    for path in known:
        if not path.isascii():
            found[unicodedata.normalize("NFC", path)].append(path)
    return found


def _bases(dataset: Dataset, base: str | None) -> _Bases:
    if base is not None:
        folder = tidy(base)
        if folder and (reason := unsafe_reason(folder)):
            raise CannotLook(reason, where=base, hint="mend `root:`; it is relative to the project")
        return {folder or "the project": folder}
    parts = dataset.path.split("/")
    plain = "/".join(takewhile(lambda part: not has_signs(part), parts))
    return {_OWN: None, "the project": "", **({plain: plain} if plain else {})}


def _joined(base: str | None, source: str, listed: str) -> str:
    folder = source.rpartition("/")[0] if base is None else base
    return tidy(posixpath.join(folder, listed))


def _unsafe(listing: Listing) -> Iterator[Astray]:
    """One for all paths of an annotation file that were not opened."""
    if listing.unsafe:
        first = [
            f"{where}: {path[:_SHOWN]!r} {reason}" for path, (where, reason) in islice(listing.unsafe.items(), _FEW)
        ]
        more = ", ..." if len(listing.unsafe) > _FEW else ""
        count = len(listing.unsafe)
        what = f"lists {_count(count)} that {'was' if count == 1 else 'were'} not opened: {', '.join(first)}{more}"
        yield Astray(listing.source, "unsafe-path", f"{what}; write paths relative to the file")


def _once(astray: Collection[Astray], bases: _Bases, paths: Mapping[str, Mapping[str, str]]) -> Iterator[Astray]:
    """Where nothing at all is there, that is said once: the base is wrong, or all is gone."""
    missing = [one for one in astray if one.kind == "missing"]
    listed = {path for some in paths.values() for path in some.values()}
    if len(missing) <= _FEW or len(missing) < len(listed):
        yield from astray
        return
    yield from (one for one in astray if one.kind != "missing")
    places = " or ".join(dict.fromkeys(bases))
    what = f"lists {_count(len(missing))} of which none is there, relative to {places}; say `root:`, or get the files"
    yield Astray(next(iter(paths)), "missing", f"{what} (the first is {missing[0].path})")


def _count(paths: int) -> str:
    return f"{paths:,} path{'' if paths == 1 else 's'}"
