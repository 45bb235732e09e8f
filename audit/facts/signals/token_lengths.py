"""The sequences of tokens of a dataset, counted in programs that can be killed: in arrays, or in a table's column."""

from __future__ import annotations

from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.processes import token_columns
from audit.facts.processes.ask import ask
from audit.facts.processes.token_arrays import Question
from audit.facts.signals.examined import Look, examine
from audit.facts.tables.opened import TableSource
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle
from audit.records.tokens import Sequences, TokenAsk, TokenPart, Tokens
from audit.records.words import Kind

_TIMEOUT_S = 12 * 3600


class TokenLengths(Request[Tokens]):
    """The sequences of `dataset` in the project at `root`. Raises what finding its files or table does, `MissingExtra`.

    Of arrays each file is a part, of a table the whole column.
    """

    root: str
    dataset: Dataset
    ask: TokenAsk

    def collect(self, ctx: Context) -> Tokens:
        """Count all of them."""
        return self._columns(ctx) if self.dataset.kind is Kind.TABLE else self._arrays(ctx)

    def _columns(self, ctx: Context) -> Tokens:
        if find_spec("polars") is None:
            raise MissingExtra("data", "polars, with which tables are read,")
        source = ctx.get(TableSource(root=self.root, dataset=self.dataset))
        asked = token_columns.Question(source=source, ask=self.ask)
        (told,) = ask(ctx.host, "token_columns", asked, tuple[Sequences], _TIMEOUT_S)
        return Tokens(path=self.dataset.path, parts=(TokenPart(path=self.dataset.path, sequences=told),))

    def _arrays(self, ctx: Context) -> Tokens:
        if find_spec("numpy") is None:
            raise MissingExtra("array", "numpy, which looks at arrays,")
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        looked = examine(ctx, found.files, Look("token_arrays", Question(ask=self.ask), Sequences))
        said = list(zip((file.path for file in found.files), looked, strict=True))
        unseen = (Obstacle(path, one.problem) for path, one in said if one.value is None)
        parts = (TokenPart(path=path, sequences=one.value) for path, one in said if one.value is not None)
        return Tokens(path=self.dataset.path, parts=tuple(parts), unseen=(*found.obstacles, *unseen))
