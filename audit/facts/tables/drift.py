"""Two datasets measured against each other, column by column."""

from __future__ import annotations

from importlib.util import find_spec

from msgspec.structs import replace

from audit.errors import CannotLook, MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.tables.opened import TableSource
from audit.facts.tables.profile import LockedProfiles
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.drift import Measured, PairQuestion
from audit.records.profile import TableProfile

_TIMEOUT_S = 12 * 3600


class TablePair(Request[Measured]):
    """The columns of `current` against those of `reference`, in the project at `root` (absolute).

    `locked` takes the profile of the reference in `audit.lock` in place of its data. The other fields are
    those of `PairQuestion`. Raises `MissingExtra`, and `CannotLook` where a table cannot be read, a column
    that the question leans on is not there, or the lock has no profile.
    """

    root: str
    reference: Dataset
    current: Dataset
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    blocks: str = ""
    by: str = ""
    false_alarms: float = 0.01
    locked: bool = False

    def collect(self, ctx: Context) -> Measured:
        """Have a process do it, whose memory goes with it."""
        if find_spec("polars") is None:
            raise MissingExtra("data", "polars, with which tables are read,")
        question = PairQuestion(
            reference=None if self.locked else ctx.get(TableSource(root=self.root, dataset=self.reference)),
            current=ctx.get(TableSource(root=self.root, dataset=self.current)),
            columns=self.columns,
            ignore=self.ignore,
            categories=self.categories,
            blocks=self.blocks,
            by=self.by,
            false_alarms=self.false_alarms,
            lock=self._recorded(ctx) if self.locked else None,
        )
        (measured,) = ask(ctx.host, "table_drift", question, tuple[Measured], _TIMEOUT_S)
        return replace(measured, path=self.current.path)

    def _recorded(self, ctx: Context) -> TableProfile:
        profile = ctx.get(LockedProfiles(root=self.root)).get(self.reference.name)
        if profile is None:
            raise CannotLook(
                f"audit.lock has no profile of {self.reference.name!r}", where="audit.lock", hint="audit lock profiles"
            )
        return profile
