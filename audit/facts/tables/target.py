"""How well single features of a dataset tell its label."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from audit.facts.processes.ask import ask
from audit.facts.processes.table_target import Question
from audit.facts.tables.opened import TableSource
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.target import Target


class TableTarget(Request[Target]):
    """The features of `reference` beside its column `label`, and whether they tell it in `current` too.

    The datasets are of the project at `root`; `columns` are the features (none: all
    other columns), `ignore` those to leave out, `rows` the most to look at in each
    table. Raises `CannotLook` where a table cannot be read, or the label is none.
    """

    root: str
    reference: Dataset
    current: Dataset | None
    label: str
    task: Literal["auto", "classes", "numbers"] = "auto"
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rows: int = 100_000
    timeout_s: int = 600

    def collect(self, ctx: Context) -> Target:
        """Ask the program that reads the columns."""
        question = Question(
            reference=ctx.get(TableSource(root=self.root, dataset=self.reference)),
            current=ctx.get(TableSource(root=self.root, dataset=self.current)) if self.current else None,
            label=self.label,
            task=self.task,
            columns=self.columns,
            ignore=self.ignore,
            rows=self.rows,
        )
        (found,) = ask(ctx.host, "table_target", question, tuple[Target], self.timeout_s)
        return replace(found, path=self.reference.path)
