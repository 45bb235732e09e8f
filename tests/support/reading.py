"""Files read as a project's table: what was staged, as polars shows it, and what reading remarked."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from audit.formats.parts import parts
from audit.records.dataset import Dataset
from audit.records.table import Column, Part, Reading, Remark, Source, Staging
from audit.records.words import Kind
from audit.tables.reading.stage import stage
from audit.tables.table import Table


class Read(NamedTuple):
    """A table as it was read."""

    table: Table
    remarks: tuple[Remark, ...]

    @property
    def frame(self) -> pl.DataFrame:
        return self.table.frame.collect()

    @property
    def columns(self) -> dict[str, Column]:
        return {one.name: one for one in self.table.columns}

    @property
    def types(self) -> dict[str, str]:
        return {one.name: str(one.type) for one in self.table.columns}

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return self.frame.rows()

    @property
    def kinds(self) -> list[tuple[str, str | None, int, tuple[int, ...]]]:
        return [(one.kind, one.column, one.count, one.lines) for one in self.remarks]


def staged(folder: Path, files: Mapping[str, bytes | str], path: str = "", **reading: Any) -> Read:
    """Stage files, all that there are or those below `path`, as one dataset."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, content in files.items():
        place = folder / "project" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        found.append((name, str(place)))
    return of_parts(folder, parts(path or found[0][0], sorted(found)), **reading)


def of_parts(folder: Path, some: tuple[Part, ...], **reading: Any) -> Read:
    done = stage(Staging(parts=some, scratch=tempfile.mkdtemp(dir=folder), reading=Reading(**reading)))
    source = Source(
        files=done.files, names=done.names, format=done.format, columns=done.columns, partitions=done.partitions
    )
    return Read(Table(source), done.remarks)


def dataset(path: str, **said: Any) -> Dataset:
    return Dataset(name="d", path=path, kind=Kind.TABLE, **said)
