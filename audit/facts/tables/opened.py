"""A dataset of kind `table` as a source that can be read column by column."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.ask import ask
from audit.facts.tables.parts import partitions, parts
from audit.formats.suffixes import is_packed, suffix
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.table import Part, Source, Staged, Staging

_ARROW = b"ARROW1"  # the file format; a stream of Arrow begins otherwise, and has no index to read columns by
_TIMEOUT_S = 12 * 3600


class TableSource(Request[Source]):
    """The table `dataset` of the project at `root`; text is brought into typed columns first.

    Raises `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Source:
        """Parquet and Arrow files as they lie; others by way of the scratch folder, once for all parts of a table."""
        if self.dataset.where:
            whole = ctx.get(TableSource(root=self.root, dataset=replace(self.dataset, where=())))
            return replace(whole, where=self.dataset.where)
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        for obstacle in found.obstacles:
            raise CannotLook(obstacle.what, where=obstacle.path, hint=obstacle.hint)
        taken = parts(self.dataset.path, ((file.path, file.location) for file in found.files))
        if not taken:
            raise CannotLook("holds no table", where=self.dataset.path, hint="mend its path in audit.yaml")
        kind = _as_it_lies(ctx, taken)
        if kind is None:
            return ctx.get(StagedTable(parts=taken, dataset=self.dataset.path))
        files, names = tuple(part.location for part in taken), tuple(part.name for part in taken)
        return Source(files=files, names=names, format=kind, partitions=partitions(taken))


class StagedTable(Request[Source]):
    """Parts brought into one typed Arrow file in the scratch folder; `dataset` is what to call the whole."""

    parts: tuple[Part, ...]
    dataset: str

    def collect(self, ctx: Context) -> Source:
        """Have a process do it."""
        asked = Staging(parts=self.parts, scratch=ctx.host.scratch())
        (staged,) = ask(ctx.host, "table_stage", asked, tuple[Staged], _TIMEOUT_S)
        names = (self.dataset,) * len(staged.files)
        return Source(
            files=staged.files, names=names, format=staged.format, columns=staged.columns, remarks=staged.remarks
        )


def _as_it_lies(ctx: Context, taken: tuple[Part, ...]) -> Literal["parquet", "ipc"] | None:
    """The format, if it can be read by columns where it lies."""
    ends = suffix(taken[0].name)
    if any(is_packed(part.name) for part in taken):
        return None
    if ends == ".parquet":
        return "parquet"
    is_file = ends in {".arrow", ".feather"} and all(
        ctx.host.head(part.location, len(_ARROW)) == _ARROW for part in taken
    )
    return "ipc" if is_file else None
