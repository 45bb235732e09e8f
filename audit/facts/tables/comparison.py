"""A report of ydata-profiling on two tables, for people to look at; nothing is decided by it."""

from __future__ import annotations

from importlib.util import find_spec

from msgspec.structs import replace

from audit.errors import Cancelled, CannotLook, MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.tables.opened import TableSource
from audit.records.check import Request
from audit.records.comparison import Compare, Compared
from audit.records.context import Context
from audit.records.dataset import Dataset

LIBRARIES = ("data_profiling", "ydata_profiling")
"""Its name since 2026, and before."""


class TableComparison(Request[Compared]):
    """ydata-profiling's comparison of `reference` and `current` in the project at `root`, as a page.

    At most `rows` rows of each, and `columns` columns that both have (of those that `only` names or matches, if any,
    and `ignore` does not), within `timeout_s` seconds and
    `memory_mib` MiB. What goes wrong is in its `trouble`: a page that is not there takes nothing from a verdict.
    """

    root: str
    reference: Dataset
    current: Dataset
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rows: int = 10_000
    columns: int = 100
    timeout_s: int = 600
    memory_mib: int = 4096

    def collect(self, ctx: Context) -> Compared:
        """Have a process of its own write the page."""
        try:
            return self._made(ctx)
        except Cancelled:
            raise
        except CannotLook as error:
            return Compared(trouble=str(error))

    def _made(self, ctx: Context) -> Compared:
        if not any(find_spec(library) for library in LIBRARIES):
            raise MissingExtra("profiling", "ydata-profiling")
        question = Compare(
            reference=ctx.get(TableSource(root=self.root, dataset=self.reference)),
            current=ctx.get(TableSource(root=self.root, dataset=self.current)),
            names=(self.reference.name, self.current.name),
            scratch=ctx.host.scratch(),
            rows=self.rows,
            columns=self.columns,
            only=self.only,
            ignore=self.ignore,
            memory_mib=self.memory_mib,
        )
        (made,) = ask(ctx.host, "table_comparison", question, tuple[Compared], self.timeout_s)
        return replace(made, paths=(self.reference.path, self.current.path))
