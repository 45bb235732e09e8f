"""Splits of data as all layers speak of them: the parts, what was asked of them, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from audit.records.base import Record
from audit.records.table import Source

T = TypeVar("T")

COINCIDENCE = 0.5
"""Where chance would make this share of what is equal, it is no sign of a leak."""

MAX_SPLITS = 32
"""So many splits are compared; a split column with more values is none."""

_ROLES = {
    **dict.fromkeys(("train", "training"), 0),
    **dict.fromkeys(("val", "valid", "validation", "dev"), 1),
    **dict.fromkeys(("test", "testing"), 2),
}


def rank(name: str) -> int | None:
    """0 for names of the training split, 1 of validation, 2 of test; None for any other name."""
    return _ROLES.get(name.strip().lower())


def ordered(names: Iterable[str]) -> list[str]:
    """Training first, then validation, then test; other names behind them, in the order given."""
    return sorted(names, key=lambda name: (rank(name) is None, rank(name) or 0))


class Part(Record):
    """A table that belongs to the split `split`: its path as declared, and its source."""

    split: str
    path: str
    source: Source


class Share(Record):
    """A split: how many rows (or files) it has; `subject` is where it lies, for violations."""

    name: str
    subject: str
    size: int


class Place(Record):
    """A row of a table (1-based, in the order of the dataset's rows), or a file where `row` is None."""

    split: str
    path: str
    row: int | None = None

    def __str__(self) -> str:
        return f"{self.path}, row {self.row:,}" if self.row is not None else self.path


class Pair(Record):
    """Two splits that share content: in how many groups of equal content, and how many of `of` members of `later`.

    `chance` is how many of these would be expected to be equal by chance, were the
    columns independent of each other; 0 where that says nothing.
    """

    earlier: str
    later: str
    groups: int
    members: int
    of: int
    chance: float = 0.0


class Within(Record):
    """Equal content within one split: the groups, and how many members are more than one of each.

    `chance` is how many would be so by chance, as for `Pair`.
    """

    split: str
    groups: int
    surplus: int
    chance: float = 0.0
    example: tuple[Place, ...] = ()


class Same(Record):
    """A group of equal content: its size, and its first members."""

    size: int
    places: tuple[Place, ...]


class Overlap(Record):
    """Equal rows or files within and across splits.

    `groups` are those that lie in several splits, each counted once whatever the number
    of splits, `first` the first of them. `columns` were compared; `apart` are those that
    not all tables have; `unlike` have types that only compare as text. `numbers` only number
    the rows, and were left out; `distinct` differ in every row, so that no two are equal. `unsplit` rows
    belong to no split, `empty` files hold nothing and are left out.
    """

    splits: tuple[Share, ...]
    unit: str
    pairs: tuple[Pair, ...] = ()
    within: tuple[Within, ...] = ()
    groups: int = 0
    first: tuple[Same, ...] = ()
    columns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    unsplit: int = 0
    empty: int = 0
    unseen: tuple[tuple[str, str], ...] = ()


class SharedGroup(Record):
    """A group that lies in several splits: its rows in each of them."""

    name: str
    rows: tuple[tuple[str, int], ...]


class Groups(Record):
    """Groups (patients, speakers, users) and the splits that they lie in.

    `rows` are the rows of all shared groups together, of `total` that have a group;
    `missing` have none, in each split. `alike` are pairs of ids in different splits that
    differ only in case, spaces, punctuation or leading zeros.
    """

    splits: tuple[Share, ...]
    unit: str
    distinct: int
    shared: int
    over: int
    rows: int
    total: int
    first: tuple[SharedGroup, ...] = ()
    missing: tuple[tuple[str, int], ...] = ()
    alike: tuple[tuple[str, str], ...] = ()
    unsplit: int = 0
    unseen: tuple[tuple[str, str], ...] = ()


class TimePair(Record):
    """How two splits lie in time: how many of `of` rows of `later` come before the latest row of `earlier`.

    `equal` rows are at that very time, `close` ones behind it by less than the gap.
    `last` is the latest of `earlier`, `first` the earliest of `later`: of all, or of the
    series where they are furthest apart the wrong way.
    """

    earlier: str
    later: str
    of: int
    before: int = 0
    equal: int = 0
    close: int = 0
    last: str = ""
    first: str = ""
    series: str | None = None


class Span(Record):
    """The time that a split spans, and its rows without a time, or that end before they start."""

    split: str
    subject: str
    rows: int
    first: str = ""
    last: str = ""
    missing: int = 0
    reversed: int = 0


class Times(Record):
    """Splits in time."""

    spans: tuple[Span, ...]
    pairs: tuple[TimePair, ...] = ()
    unsplit: int = 0
    unordered: tuple[str, ...] = ()


class ClassCounts(Record):
    """The classes of a split, sorted by their names, and how many members each has; `missing` have none."""

    split: str
    subject: str
    counts: tuple[tuple[str, int], ...]
    missing: int = 0

    @property
    def size(self) -> int:
        """All members."""
        return sum(count for _, count in self.counts) + self.missing


class Classes(Record):
    """The classes of all splits. `folders` is whether they are folders' names; `text` whether they are words."""

    splits: tuple[ClassCounts, ...]
    unit: str
    folders: bool = False
    text: bool = True
    unsplit: int = 0
    unseen: tuple[tuple[str, str], ...] = ()


class AskOverlap(Record, tag="overlap"):
    """The wish to know which rows are equal in `columns` (empty: all that the tables share), less those to `ignore`."""

    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class AskGroups(Record, tag="groups"):
    """The wish to know which values of `column` lie in several splits, after what `normalise` names is done to them."""

    column: str
    normalise: tuple[str, ...] = ()


class AskTimes(Record, tag="times"):
    """The wish to know whether the splits follow each other in time; within each series of `by`, if it is named.

    With `end` or `window`, rows are windows, and it is asked which of them overlap:
    from `column` to `end`, both included, or `window` long. Lengths of time and gaps are
    in the column's own unit where it holds numbers; for dates a number has a unit, else it is seconds.
    """

    column: str
    end: str = ""
    window: str = ""
    gap: str = ""
    by: str = ""


class AskClasses(Record, tag="classes"):
    """The wish to know how often each value of `column` is in each split; an empty name only counts rows."""

    column: str = ""


class AskKeys(Record, tag="keys"):
    """The wish to know which values of `column` are in several splits, and which of `whole` are in none."""

    column: str
    whole: Part | None = None


Wish = AskOverlap | AskGroups | AskTimes | AskClasses | AskKeys


class Question(Record):
    """What is asked of the splits that `parts` belong to, or that the values of `split_column` tell apart."""

    parts: tuple[Part, ...]
    wish: Wish
    split_column: str = ""


class Keys(Record):
    """Records and the splits that they are in: how many of `whole` are in no split, in several, or unknown to it.

    Each `*_first` are the first of them, sorted. `repeated` are in one split more than once.
    """

    splits: tuple[Share, ...]
    whole: int
    uncovered: int = 0
    uncovered_first: tuple[str, ...] = ()
    several: int = 0
    several_first: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unknown: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    repeated: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    missing: tuple[tuple[str, int], ...] = ()
    unsplit: int = 0
    unsafe: tuple[Unsafe, ...] = ()
    unseen: tuple[tuple[str, str], ...] = ()


class Unsafe(Record):
    """A line of a list whose path is not opened, and why."""

    path: str
    line: int
    said: str
    reason: str


def pairs(names: Sequence[T]) -> list[tuple[T, T]]:
    """Each two of the splits, the earlier first."""
    return [(first, later) for place, first in enumerate(names) for later in names[place + 1 :]]


def joint(subject: str, *details: str) -> str:
    """A subject with details behind its path: `data/test.csv#patient`, `data/all.csv#split=test,with=train`."""
    return f"{subject}{',' if '#' in subject else '#'}{','.join(details)}" if details else subject


class NearPair(Record):
    """How many of `of` members of `later` have a near twin in `earlier`; the first of them, and how alike they are."""

    earlier: str
    later: str
    members: int
    of: int
    first: tuple[tuple[Place, Place, float], ...] = ()


class Near(Record):
    """Members of splits that are nearly equal; `left_out` are too plain or too short to be told apart."""

    splits: tuple[Share, ...]
    unit: str
    pairs: tuple[NearPair, ...] = ()
    left_out: int = 0
    unseen: tuple[tuple[str, str], ...] = ()
