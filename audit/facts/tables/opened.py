"""A dataset of kind `table` as a source that can be read column by column."""

from __future__ import annotations

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.table import Source

_COLUMNAR = {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc"}


class TableSource(Request[Source]):
    """The table `dataset` of the project at `root`; text is brought into typed columns first.

    Raises `CannotLook` where it cannot be read as a table.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Source:
        """Columnar files as they are, others by way of the scratch folder."""
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        for obstacle in found.obstacles:
            raise CannotLook(obstacle.what, where=obstacle.path, hint=obstacle.hint)
        files = tuple(file.location for file in found.files)
        return Source(files=files, format="parquet", where=self.dataset.where, hive="=" in self.dataset.path)
