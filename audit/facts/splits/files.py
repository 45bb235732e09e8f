"""Files with equal content in several splits: by size, then by BLAKE3."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.facts.content import Wanted, read_files
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.splits.chosen import Chosen
from audit.records.check import Request
from audit.records.context import Context
from audit.records.splits import Overlap, Pair, Place, Same, Share, Within, pairs

_FIRST = 20
_MEMBERS = 6


class SplitFile(NamedTuple):
    """A file and the split that it belongs to."""

    split: str
    file: File


class SplitFiles(NamedTuple):
    """The files of all splits, in the order of the splits and of their paths; places that could not be looked at."""

    splits: tuple[Share, ...]
    files: tuple[SplitFile, ...]
    unseen: tuple[tuple[str, str], ...]


class FilesOfSplits(Request[SplitFiles]):
    """The files of the splits of the project at `root`; none of them read."""

    root: str
    splits: Chosen

    def collect(self, ctx: Context) -> SplitFiles:
        """List each dataset. A file that two datasets of one split take is there once."""
        found: dict[tuple[str, str], SplitFile] = {}
        unseen: dict[str, str] = {}
        for name in self.splits.names:
            for one in self.splits.members:
                if one.split == name:
                    files = ctx.get(DatasetFiles(root=self.root, dataset=one.dataset))
                    found |= {(name, file.path): SplitFile(name, file) for file in files.files}
                    unseen |= {obstacle.path: obstacle.what for obstacle in files.obstacles}
        paths = {one.split: one.dataset.path for one in reversed(self.splits.members)}
        sizes = [sum(1 for one in found.values() if one.split == name) for name in self.splits.names]
        shares = (
            Share(name=name, subject=paths[name], size=size)
            for name, size in zip(self.splits.names, sizes, strict=True)
        )
        return SplitFiles(tuple(shares), tuple(found.values()), tuple(sorted(unseen.items())))


class FileOverlap(Request[Overlap]):
    """Files of equal content within and across the splits of the project at `root`."""

    root: str
    splits: Chosen

    def collect(self, ctx: Context) -> Overlap:
        """Read the files that share their size with another; a digest that is remembered and still holds will do."""
        found = ctx.get(FilesOfSplits(root=self.root, splits=self.splits))
        groups, unread = _equal(ctx, found.files)
        counts = [_counted(group) for group in groups]
        across = [group for group, count in zip(groups, counts, strict=True) if len(count) > 1]
        return Overlap(
            splits=found.splits,
            unit="file",
            pairs=tuple(_pairs(found.splits, counts)),
            within=tuple(_within(found.splits, groups)),
            groups=len(across),
            first=tuple(_same(group) for group in across[:_FIRST]),
            empty=sum(1 for one in found.files if not one.file.stamp.size),
            unseen=(*found.unseen, *unread),
        )


def _equal(ctx: Context, files: Sequence[SplitFile]) -> tuple[list[list[SplitFile]], list[tuple[str, str]]]:
    """The groups of equal content, by their first files; and what could not be read."""
    by_size: defaultdict[int, list[SplitFile]] = defaultdict(list)
    for one in files:
        by_size[one.file.stamp.size].append(one)
    twins = [one for size, some in by_size.items() if size and len(some) > 1 for one in some]
    contents = read_files(ctx, {one.file.location: Wanted("blake3", stamp=one.file.stamp) for one in twins})
    groups: defaultdict[str, list[SplitFile]] = defaultdict(list)
    unread = {}
    for one in twins:
        content = contents[one.file.location]
        if content.digest is None:
            unread[one.file.path] = content.problem
        else:
            groups[content.digest.hex].append(one)
    equal = [group for group in groups.values() if len(group) > 1]
    place = {(one.split, one.file.path): number for number, one in enumerate(files)}
    return sorted(equal, key=lambda group: place[group[0].split, group[0].file.path]), sorted(unread.items())


def _counted(group: Iterable[SplitFile]) -> Mapping[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for one in group:
        counts[one.split] += 1
    return counts


def _pairs(splits: Sequence[Share], counts: Sequence[Mapping[str, int]]) -> Iterator[Pair]:
    sizes = {one.name: one.size for one in splits}
    for earlier, later in pairs([one.name for one in splits]):
        both = [count for count in counts if earlier in count and later in count]
        if both:
            members = sum(count[later] for count in both)
            yield Pair(earlier=earlier, later=later, groups=len(both), members=members, of=sizes[later])


def _within(splits: Sequence[Share], groups: Sequence[Sequence[SplitFile]]) -> Iterator[Within]:
    for share in splits:
        own = [[one for one in group if one.split == share.name] for group in groups]
        twice = [group for group in own if len(group) > 1]
        if twice:
            surplus = sum(len(group) - 1 for group in twice)
            yield Within(split=share.name, groups=len(twice), surplus=surplus, example=_same(twice[0]).places)


def _same(group: Sequence[SplitFile]) -> Same:
    """At least one member of each split comes first."""
    leading = {one.split: one for one in reversed(group)}.values()
    chosen = [*leading, *(one for one in group if one not in leading)][:_MEMBERS]
    places = tuple(Place(split=one.split, path=one.file.path) for one in group if one in chosen)
    return Same(size=len(group), places=places)
