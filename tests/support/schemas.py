"""Audits by `table.schema` of tables that are made on the spot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from support.audits import audited, only

from audit.records.report import Result
from audit.records.words import Role


def write(path: Path, table: pl.DataFrame | Mapping[str, Any]) -> None:
    """The table in the format that the name ends with."""
    frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
    writers = {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".arrow": frame.write_ipc}
    writers[path.suffix](path)


def held(
    root: Path, tables: Mapping[str, pl.DataFrame | Mapping[str, Any]], suffix: str = "parquet", **said: Any
) -> Result:
    """The last of the tables, held by a rule; tables that are called as a role have it."""
    for name, table in tables.items():
        write(root / f"{name}.{suffix}", table)
    return judged(root, [f"{name}.{suffix}" for name in tables], **said)


def judged(root: Path, files: list[str], **said: Any) -> Result:
    """The last of the files, held by a rule; each is a dataset of its name, and of the role so called."""
    names = {file.partition(".")[0]: file for file in files}
    roles = set(Role)
    datasets = {
        name: {"path": file, "kind": "table"} | ({"role": name} if name in roles else {})
        for name, file in names.items()
    }
    rule = {"check": "table.schema", "with": {"dataset": list(names)[-1], **said}}
    return only(audited(root, rule, datasets=datasets))


def lines(result: Result) -> list[tuple[str, str, str]]:
    """Severity, kind and message of each violation."""
    return [(str(one.severity), one.kind, one.message) for one in result.violations]
