"""Brings any table into files that can be read column by column."""

from __future__ import annotations

import tempfile

from audit.records.table import Staged, Staging
from audit.tables.types import column


def stage(asked: Staging) -> Staged:
    """One typed Arrow file in the scratch folder. Raises `CannotLook` where the bytes are no table."""
    import msgspec
    import polars as pl

    files = [part.location for part in asked.parts]
    name = asked.parts[0].name
    if ".tsv" in name or ".csv" in name:
        frame = pl.scan_csv(
            files, separator="\t" if ".tsv" in name else ",", infer_schema_length=None, try_parse_dates=True
        )
    elif "json" in name:
        frame = pl.scan_ndjson(files, infer_schema_length=None)
    else:
        frame = pl.scan_ipc(files)
    target = tempfile.mkstemp(suffix=".arrow", dir=asked.scratch)[1]
    frame.sink_ipc(target)
    columns = (column(name, dtype) for name, dtype in frame.collect_schema().items())
    return Staged(
        files=(target,), format="ipc", columns=tuple(msgspec.structs.replace(one, text=True) for one in columns)
    )
