"""A dataset of kind `table` as a source that can be read column by column."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.ask import ask
from audit.formats.parts import columnar, partitions, parts
from audit.formats.urls import is_remote, public
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.digests import Stamp
from audit.records.table import Part, Reading, Source, Staged, Staging

_TIMEOUT_S = 12 * 3600
"""Long, for a download may be; a program in which nothing happens ends much earlier by itself."""


class TableSource(Request[Source]):
    """The table `dataset` of the project at `root`; text is brought into typed columns first.

    Raises `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Source:
        """Parquet and Arrow files as they lie; others by way of the scratch folder, once for all parts of a table."""
        where = self.dataset.where
        if self.dataset.frame is not None:
            return replace(self.dataset.frame, where=where)
        if is_remote(self.dataset.path):
            url = Part(location=self.dataset.path, name=public(self.dataset.path))
            return replace(ctx.get(StagedTable(parts=(url,), reading=self.dataset.reading)), where=where)
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        for obstacle in found.obstacles:
            raise CannotLook(obstacle.what, where=obstacle.path, hint=obstacle.hint)
        taken = parts(self.dataset.path, ((file.path, file.location) for file in found.files))
        if not taken:
            raise CannotLook("holds no table", where=self.dataset.path, hint="mend its path in audit.yaml")
        size = sum(file.stamp.size for file in found.files)
        ctx.progress.expect(files=len(found.files), size=size)
        source = self._source(ctx, taken, {file.location: file.stamp for file in found.files})
        ctx.progress.advance(files=len(found.files), size=size, what=self.dataset.path)
        return replace(source, where=where)

    def _source(self, ctx: Context, taken: tuple[Part, ...], listed: Mapping[str, Stamp]) -> Source:
        kind = columnar(taken, lambda path, size: ctx.host.peek(path, size).data)
        if kind is None:
            return ctx.get(StagedTable(parts=taken, reading=self.dataset.reading))
        files, names = tuple(part.location for part in taken), tuple(part.name for part in taken)
        stamps = tuple(listed[file] for file in files)
        return Source(files=files, names=names, format=kind, partitions=partitions(taken), stamps=stamps)


class StagedTable(Request[Source]):
    """The whole of some files, or of what a URL names, brought into the scratch folder."""

    parts: tuple[Part, ...]
    reading: Reading = Reading()

    def collect(self, ctx: Context) -> Source:
        """Have a process do it."""
        asked = Staging(parts=self.parts, scratch=ctx.host.scratch(), reading=self.reading)
        (staged,) = ask(ctx.host, "table_stage", asked, tuple[Staged], _TIMEOUT_S)
        return Source(
            files=staged.files,
            names=staged.names or tuple(part.name for part in self.parts)[: len(staged.files)],
            format=staged.format,
            columns=staged.columns,
            partitions=staged.partitions,
            remarks=staged.remarks,
        )
