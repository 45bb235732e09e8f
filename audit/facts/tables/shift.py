"""Whether a classifier tells the rows of two datasets apart."""

from __future__ import annotations

from importlib.util import find_spec

from msgspec.structs import replace

from audit.errors import MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.processes.table_shift import Question
from audit.facts.tables.opened import TableSource
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.shift import Shift


class TableShift(Request[Shift]):
    """What the classifier says of `reference` and `current` in the project at `root`, within `timeout_s` seconds.

    `columns` are those to look at (none: all that both have), `ignore` those to leave
    out; rows of one value in the column `blocks` stay together. Raises `MissingExtra`
    without scikit-learn, `CannotLook` where a table cannot be read or a column is not there.
    """

    root: str
    reference: Dataset
    current: Dataset
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    blocks: str = ""
    rows: int = 10_000
    false_alarms: float = 0.01
    tolerance: float = 0.55
    shap: bool = False
    timeout_s: int = 600

    def collect(self, ctx: Context) -> Shift:
        """Ask the program that trains."""
        for module, library in (("sklearn", "scikit-learn"), *((("shap", "SHAP"),) if self.shap else ())):
            if find_spec(module) is None:
                raise MissingExtra("shift", library)
        question = Question(
            reference=ctx.get(TableSource(root=self.root, dataset=self.reference)),
            current=ctx.get(TableSource(root=self.root, dataset=self.current)),
            columns=self.columns,
            ignore=self.ignore,
            groups=self.blocks,
            rows=self.rows,
            false_alarms=self.false_alarms,
            tolerance=self.tolerance,
            shap=self.shap,
        )
        (found,) = ask(ctx.host, "table_shift", question, tuple[Shift], self.timeout_s)
        return replace(found, path=self.current.path)
