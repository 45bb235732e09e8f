"""The classes of files that lie in a folder for each: `train/cat/0001.png`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from audit.facts.splits.chosen import Chosen
from audit.facts.splits.files import FilesOfSplits
from audit.formats.glob import has_signs
from audit.records.check import Request
from audit.records.context import Context
from audit.records.splits import ClassCounts, Classes


class FolderClasses(Request[Classes]):
    """The first folder below each split's own, of every file in the splits of the project at `root`."""

    root: str
    splits: Chosen

    def collect(self, ctx: Context) -> Classes:
        """List the files; one that lies in no folder has no class."""
        found = ctx.get(FilesOfSplits(root=self.root, splits=self.splits))
        bases = self._bases()
        counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        missing: defaultdict[str, int] = defaultdict(int)
        for split, file in found.files:
            name = _class(file.path, bases[split])
            if name:
                counts[split][name] += 1
            else:
                missing[split] += 1
        each = (
            ClassCounts(
                split=one.name,
                subject=one.subject,
                counts=tuple(sorted(counts[one.name].items())),
                missing=missing[one.name],
            )
            for one in found.splits
        )
        return Classes(splits=tuple(each), unit="file", folders=True, unseen=found.unseen)

    def _bases(self) -> Mapping[str, tuple[str, ...]]:
        """The folders of each split, the longest first: a file belongs to the nearest one above it."""
        bases: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.splits.members:
            bases[one.split].add(base(one.dataset.path))
        return {split: tuple(sorted(some, key=len, reverse=True)) for split, some in bases.items()}


def base(path: str) -> str:
    """The folder of a dataset: what its path or glob says before the first sign of a pattern."""
    parts = path.split("/")
    plain = next((place for place, part in enumerate(parts) if has_signs(part)), len(parts))
    return "/".join(parts[:plain])


def _class(path: str, bases: tuple[str, ...]) -> str:
    """The first folder of a path below a base; empty if there is none."""
    for folder in bases:
        if not folder or path.startswith(f"{folder}/"):
            return path[len(folder) + bool(folder) :].rpartition("/")[0].partition("/")[0]
    return ""
