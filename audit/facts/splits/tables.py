"""What the splits of tables share, asked of a program that reads them."""

from __future__ import annotations

from typing import TypeVar

from audit.errors import CannotLook
from audit.facts.processes.ask import ask
from audit.facts.processes.table_split import Refused
from audit.facts.splits.chosen import Chosen
from audit.facts.tables.opened import TableSource
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.splits import (
    AskClasses,
    AskGroups,
    AskKeys,
    AskOverlap,
    AskTimes,
    Classes,
    Groups,
    Keys,
    Overlap,
    Part,
    Question,
    Times,
    Wish,
    joint,
)

TIMEOUT_S = 6 * 3600
T = TypeVar("T")


def _answered(ctx: Context, root: str, splits: Chosen, wish: Wish, shape: type[tuple[T | None, Refused | None]]) -> T:
    question = Question(parts=table_parts(ctx, root, splits), wish=wish, split_column=splits.column)
    found, refused = ask(ctx.host, "table_split", question, shape, TIMEOUT_S)
    if refused is not None or found is None:
        raise CannotLook(refused.what if refused else "no answer", hint=refused.hint if refused else "")
    return found


def table_parts(ctx: Context, root: str, splits: Chosen) -> tuple[Part, ...]:
    """The tables of the splits, ready to be read. Raises `CannotLook` where one is not."""
    return tuple(_part(ctx, root, one.split, one.dataset) for one in splits.members)


def _part(ctx: Context, root: str, split: str, dataset: Dataset) -> Part:
    where = (f"{column}={'|'.join(map(str, values))}" for column, values in dataset.where)
    return Part(split=split, path=joint(dataset.path, *where), source=ctx.get(TableSource(root=root, dataset=dataset)))


class TableOverlap(Request[Overlap]):
    """Rows that are equal within and across the splits of the project at `root`."""

    root: str
    splits: Chosen
    wish: AskOverlap

    def collect(self, ctx: Context) -> Overlap:
        """Ask; raises `CannotLook` where tables cannot be read or compared."""
        return _answered(ctx, self.root, self.splits, self.wish, tuple[Overlap | None, Refused | None])


class TableGroups(Request[Groups]):
    """Groups that lie in several splits of the project at `root`."""

    root: str
    splits: Chosen
    wish: AskGroups

    def collect(self, ctx: Context) -> Groups:
        """Ask; raises `CannotLook` where tables cannot be read, or have no such column."""
        return _answered(ctx, self.root, self.splits, self.wish, tuple[Groups | None, Refused | None])


class TableTimes(Request[Times]):
    """How the splits of the project at `root` follow each other in time."""

    root: str
    splits: Chosen
    wish: AskTimes

    def collect(self, ctx: Context) -> Times:
        """Ask; raises `CannotLook` where tables cannot be read, or a column holds no times."""
        return _answered(ctx, self.root, self.splits, self.wish, tuple[Times | None, Refused | None])


class TableClasses(Request[Classes]):
    """The values of a column in each split of the project at `root`, counted."""

    root: str
    splits: Chosen
    wish: AskClasses

    def collect(self, ctx: Context) -> Classes:
        """Ask; raises `CannotLook` where tables cannot be read, or have no such column."""
        return _answered(ctx, self.root, self.splits, self.wish, tuple[Classes | None, Refused | None])


class TableKeys(Request[Keys]):
    """In which splits the keys of the table `whole` are; only whether they are in one, if it is None."""

    root: str
    splits: Chosen
    column: str
    whole: Dataset | None = None

    def collect(self, ctx: Context) -> Keys:
        """Ask; raises `CannotLook` where tables cannot be read, or have no such column."""
        whole = _part(ctx, self.root, "", self.whole) if self.whole else None
        return _answered(
            ctx, self.root, self.splits, AskKeys(column=self.column, whole=whole), tuple[Keys | None, Refused | None]
        )
