"""Pairs of tables in a project, audited by `table.drift`."""

from pathlib import Path
from typing import Any

import polars as pl
from support.audits import audited, only

from audit.records.report import Report, ReportedViolation, Result

DATASETS = {"train": {"path": "train.parquet", "role": "train"}, "val": {"path": "val.parquet", "role": "val"}}


def write(root: Path, train: Any, val: Any) -> None:
    root.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(train).write_parquet(root / "train.parquet")
    pl.DataFrame(val).write_parquet(root / "val.parquet")


def report(root: Path, jobs: int | None = None, **said: Any) -> Report:
    """The report of one rule over the pair in the folder."""
    settings = {} if jobs is None else {"jobs": jobs}
    return audited(root, {"check": "table.drift", "with": said}, datasets=DATASETS, **settings)


def drift(root: Path, train: Any, val: Any, **said: Any) -> Result:
    write(root, train, val)
    return only(report(root, **said))


def found(result: Result, kind: str) -> list[ReportedViolation]:
    return [one for one in result.violations if one.kind == kind]
