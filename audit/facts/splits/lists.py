"""Lists of the files of each split, held against a dataset."""

from __future__ import annotations

import csv
import io
import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.inside import Inside
from audit.facts.links import Lead
from audit.facts.splits.chosen import Chosen
from audit.facts.splits.files import FilesOfSplits
from audit.facts.splits.folder_classes import base
from audit.formats.manifest.listing import tidy, unsafe_reason
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.splits import Keys, Share, Unsafe, ordered

LIMIT = 1 << 26
"""Bytes of one list: about a million paths."""

_FIRST = 20
Match = Literal["path", "name", "stem"]
Named = dict[str, list[str]]


class ListedFiles(Request[Keys]):
    """The files that `lists` (splits and paths of lists in the project at `root`) name, held against `whole`.

    Paths start from `start`, or from the folder of `whole`. `match` compares whole paths,
    or names, or names without their suffix. `column` is that of a CSV or TSV list.
    """

    root: str
    lists: tuple[tuple[str, str], ...]
    whole: Dataset
    start: str | None = None
    column: str | None = None
    match: Match = "path"

    def collect(self, ctx: Context) -> Keys:
        """Read the lists; a path that leads out of its folder is told, and not looked for."""
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.whole))
        start = base(self.whole.path) if self.start is None else tidy(self.start)
        there = {self._key(_below(file.path, start)) for file in found.files}
        named: Named = {}
        unsafe: list[Unsafe] = []
        for split, path in self.lists:
            named[split] = []
            for line in _lines(_read(ctx, self.root, path), path, self.column):
                reason = unsafe_reason(line.said)
                if reason:
                    unsafe.append(Unsafe(path=path, line=line.number, said=line.said, reason=reason))
                else:
                    named[split].append(self._key(tidy(line.said)))
        unseen = tuple((one.path, one.what) for one in found.obstacles)
        return held(named, there, dict(self.lists), tuple(unsafe), unseen)

    def _key(self, path: str) -> str:
        if self.match == "path":
            return path
        name = posixpath.basename(path)
        return name if self.match == "name" else posixpath.splitext(name)[0]


class DatasetsCover(Request[Keys]):
    """The files of the splits of the project at `root`, held against those of `whole`."""

    root: str
    splits: Chosen
    whole: Dataset

    def collect(self, ctx: Context) -> Keys:
        """List the files of all; nothing is read."""
        found = ctx.get(FilesOfSplits(root=self.root, splits=self.splits))
        whole = ctx.get(DatasetFiles(root=self.root, dataset=self.whole))
        named: Named = {name: [] for name in self.splits.names}
        for one in found.files:
            named[one.split].append(one.file.path)
        subjects = {one.name: one.subject for one in found.splits}
        unseen = (*found.unseen, *((one.path, one.what) for one in whole.obstacles))
        return held(named, {file.path for file in whole.files}, subjects, unseen=tuple(sorted(set(unseen))))


def held(
    named: Mapping[str, list[str]],
    there: set[str],
    subjects: Mapping[str, str],
    unsafe: tuple[Unsafe, ...] = (),
    unseen: tuple[tuple[str, str], ...] = (),
) -> Keys:
    """What the splits name, held against what is there. Pure."""
    names = ordered(named)
    places: defaultdict[str, set[str]] = defaultdict(set)
    for split, keys in named.items():
        for key in keys:
            places[key].add(split)
    several = sorted(key for key, splits in places.items() if len(splits) > 1)
    uncovered = sorted(there - places.keys())
    unknown = {split: sorted(set(keys) - there) for split, keys in named.items()}
    repeated = {split: sorted(_twice(keys)) for split, keys in named.items()}
    return Keys(
        splits=tuple(Share(name=name, subject=subjects[name], size=len(named[name])) for name in names),
        whole=len(there),
        uncovered=len(uncovered),
        uncovered_first=tuple(uncovered[:_FIRST]),
        several=len(several),
        several_first=tuple((key, tuple(name for name in names if name in places[key])) for key in several[:_FIRST]),
        unknown=tuple((name, len(unknown[name]), tuple(unknown[name][:_FIRST])) for name in names if unknown[name]),
        repeated=tuple((name, len(repeated[name]), tuple(repeated[name][:_FIRST])) for name in names if repeated[name]),
        unsafe=unsafe,
        unseen=unseen,
    )


def _twice(keys: list[str]) -> set[str]:
    seen: set[str] = set()
    return {key for key in keys if key in seen or seen.add(key)}  # type: ignore[func-returns-value]


class _Line(NamedTuple):
    number: int
    said: str


def _lines(data: bytes, path: str, column: str | None) -> Iterator[_Line]:
    """What a list names, and where: the lines of a text, or the cells of a column."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotLook("the list is not UTF-8", where=path, hint="save it as UTF-8") from None
    suffix = posixpath.splitext(path)[1].lower()
    if column is None and suffix not in {".csv", ".tsv"}:
        yield from (_Line(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        return
    yield from _cells(text, path, column, "\t" if suffix == ".tsv" else ",")


def _cells(text: str, path: str, column: str | None, delimiter: str) -> Iterator[_Line]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        head = next(rows, [])
        if column is None and len(head) != 1:
            raise CannotLook("the list has several columns", where=path, hint="name the one of the files in `column`")
        if column is not None and column not in head:
            raise CannotLook(f"the list has no column {column!r}", where=path, hint=f"it has: {', '.join(head)[:200]}")
        place = head.index(column) if column is not None else 0
        for row in rows:
            said = row[place].strip() if len(row) > place else ""
            if said:
                yield _Line(rows.line_num, said)
    except csv.Error as error:
        raise CannotLook(f"the list is no CSV: {error}", where=path) from None


def _read(ctx: Context, root: str, path: str) -> bytes:
    if unsafe_reason(path):
        raise CannotLook(f"the list {unsafe_reason(path)}", where=path, hint="write it relative to the project")
    found = Inside(ctx.host, root).find(tidy(path))
    if found.lead is not Lead.INSIDE or found.entry is None:
        raise CannotLook("there is no such list in the project", where=path, hint="mend `lists`, or get the file")
    return ctx.host.read(found.path, LIMIT)


def _below(path: str, start: str) -> str:
    return path.removeprefix(f"{start}/") if start else path
