"""What `table.schema` judges: the shape of tables, and what in them breaks what was declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from audit.errors import CannotLook
from audit.facts.processes.ask import ask
from audit.facts.processes.table_schema import Answer, Question
from audit.facts.tables.opened import TableSource
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.schema import ColumnRule
from audit.records.shape import Breach, Expected, Keys, Shape

_TIMEOUT_S = 6 * 3600


class TableShape(Request[Shape]):
    """The shape of the table `dataset` of the project at `root`.

    Raises `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Shape:
        """Have a process count."""
        source = ctx.get(TableSource(root=self.root, dataset=self.dataset))
        (answer,) = ask(ctx.host, "table_schema", Question(source), tuple[Answer], _TIMEOUT_S)
        if answer.shape is None:
            raise CannotLook("table_schema gave no shape", where=self.dataset.path)
        return answer.shape


class Shapes(Record):
    """A table, and those that it may have to be like; `unread` says why some of them could not be read."""

    dataset: Dataset
    own: Shape
    others: tuple[tuple[Dataset, Shape], ...] = ()
    unread: tuple[tuple[Dataset, str], ...] = ()


class TableShapes(Request[Shapes]):
    """The shape of the table `dataset`, and of the tables `like`.

    Raises `CannotLook` where the table itself cannot be read.
    """

    root: str
    dataset: Dataset
    like: tuple[Dataset, ...] = ()

    def collect(self, ctx: Context) -> Shapes:
        """Ask for each; one that cannot be read costs the table itself nothing."""
        own = ctx.get(TableShape(root=self.root, dataset=self.dataset))
        others, unread = [], []
        for dataset in self.like:
            try:
                others.append((dataset, ctx.get(TableShape(root=self.root, dataset=dataset))))
            except CannotLook as error:
                unread.append((dataset, str(error)))
        return Shapes(dataset=self.dataset, own=own, others=tuple(others), unread=tuple(unread))


def spelled(rules: Mapping[str, ColumnRule]) -> str:
    """The rules as JSON: `true`, `1` and `1.0` are three values there, and one where Python compares requests."""
    return msgspec.json.encode(rules).decode()


class ForeignKey(Record):
    """Columns whose values are keys of another dataset."""

    columns: tuple[str, ...]
    dataset: Dataset
    to: tuple[str, ...]


class TableBreaches(Request[tuple[Breach, ...]]):
    """What in the table `dataset` breaks the rules of its columns, its keys, its foreign keys, its shares.

    `rules` are those of columns by name, written by `spelled`. Raises `CannotLook` where the table
    cannot be read; a dataset of `references` that cannot is told as a breach.
    """

    root: str
    dataset: Dataset
    rules: str = "{}"
    unique: tuple[tuple[str, ...], ...] = ()
    sums: tuple[tuple[str, ...], ...] = ()
    tolerance: float = 1e-6
    references: tuple[ForeignKey, ...] = ()

    def collect(self, ctx: Context) -> tuple[Breach, ...]:
        """Have a process look, if anything is expected at all."""
        columns = tuple(msgspec.json.decode(self.rules, type=dict[str, ColumnRule]).items())
        if not (columns or self.unique or self.sums or self.references):
            return ()
        source = ctx.get(TableSource(root=self.root, dataset=self.dataset))
        opened = list(self._opened(ctx))
        expected = Expected(
            columns=columns,
            unique=self.unique,
            sums=self.sums,
            tolerance=self.tolerance,
            references=tuple(keys for keys in opened if isinstance(keys, Keys)),
        )
        (answer,) = ask(ctx.host, "table_schema", Question(source, expected), tuple[Answer], _TIMEOUT_S)
        return (*answer.breaches, *(one for one in opened if isinstance(one, Breach)))

    def _opened(self, ctx: Context) -> Iterator[Keys | Breach]:
        for key in self.references:
            try:
                source = ctx.get(TableSource(root=self.root, dataset=key.dataset))
            except CannotLook as error:
                yield Breach(columns=key.columns, kind="reference", unfit=str(error), blind=True)
            else:
                yield Keys(columns=key.columns, source=source, to=key.to, dataset=key.dataset.name)
