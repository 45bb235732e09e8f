"""A dataset of kind `table` as a source that can be read column by column."""

from __future__ import annotations

import msgspec

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.ask import ask
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.table import Part, Source, Staged, Staging

_AS_THEY_LIE = {".parquet": "parquet"}
_TIMEOUT_S = 6 * 3600


class TableSource(Request[Source]):
    """The table `dataset` of the project at `root`; text is brought into typed columns first.

    Raises `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Source:
        """Columnar files as they are, others by way of the scratch folder."""
        if self.dataset.where:
            whole = ctx.get(TableSource(root=self.root, dataset=msgspec.structs.replace(self.dataset, where=())))
            return msgspec.structs.replace(whole, where=self.dataset.where)
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        for obstacle in found.obstacles:
            raise CannotLook(obstacle.what, where=obstacle.path, hint=obstacle.hint)
        parts = tuple(Part(location=file.location, name=file.path) for file in found.files)
        if all(part.name.endswith(".parquet") for part in parts):
            files = tuple(part.location for part in parts)
            return Source(files=files, format="parquet", hive="=" in self.dataset.path)
        asked = Staging(parts=parts, scratch=ctx.host.scratch())
        (staged,) = ask(ctx.host, "table_stage", asked, tuple[Staged], _TIMEOUT_S)
        return Source(files=staged.files, format=staged.format, columns=staged.columns, remarks=staged.remarks)
