"""Groups of files that their paths tell: `speakers/p23/0001.wav`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from audit.errors import ConfigError
from audit.facts.processes.ask import ask
from audit.facts.processes.split_paths import Paths
from audit.facts.splits.chosen import Chosen
from audit.facts.splits.files import FilesOfSplits, SplitFiles
from audit.measures.grouping import Counts, alike, ordered, spread
from audit.measures.ids import normalised
from audit.records.check import Request
from audit.records.context import Context
from audit.records.splits import Groups, SharedGroup

_TIMEOUT_S = 120
_FIRST = 40


class PathGroups(Request[Groups]):
    """The groups of the files in the splits of the project at `root`: what the one group of `pattern` takes.

    Raises `ConfigError` for a pattern that is none, or has not one group.
    """

    root: str
    splits: Chosen
    pattern: str
    normalise: tuple[str, ...] = ()

    def collect(self, ctx: Context) -> Groups:
        """Search the paths, relative to the project, in a process that can be stopped."""
        _valid(self.pattern)
        found = ctx.get(FilesOfSplits(root=self.root, splits=self.splits))
        paths = tuple(_text(one.file.path) for one in found.files)
        ids = ask(ctx.host, "split_paths", Paths(pattern=self.pattern, paths=paths), tuple[str | None, ...], _TIMEOUT_S)
        counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        missing: dict[str, int] = {}
        for one, said in zip(found.files, ids, strict=True):
            group = normalised((said or "").strip(), self.normalise)
            place = counts[group] if group else missing
            place[one.split] = place.get(one.split, 0) + 1
        return _groups(found, counts, missing)


def _groups(files: SplitFiles, counts: Counts, missing: Mapping[str, int]) -> Groups:
    names = [one.name for one in files.splits]
    over = spread(counts)
    return Groups(
        splits=files.splits,
        unit="file",
        distinct=len(counts),
        shared=len(over.shared),
        over=over.over,
        rows=over.rows,
        total=over.total,
        first=tuple(SharedGroup(name=name, rows=ordered(counts[name], names)) for name in over.shared[:_FIRST]),
        missing=tuple((name, missing[name]) for name in names if name in missing),
        alike=alike(counts),
        unseen=files.unseen,
    )


def _valid(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ConfigError(f"`pattern` is no regular expression: {error}") from None
    if groups != 1:
        raise ConfigError(
            f"`pattern` has {groups} groups; exactly one takes the id", hint="write (?: ) for groups that take nothing"
        )


def _text(path: str) -> str:
    """The path as text; bytes that are no UTF-8 as escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
