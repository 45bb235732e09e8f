"""Tables that Python users hand over, in place of a file or beside those of `audit.yaml`.

A frame is written into the scratch folder as Arrow, by the library that it came with, and read
from there like any other table: types are what they would be had it been saved as Parquet.
Nothing is pickled. Values of mixed Python types in one column become text, and that is said.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from audit.config.load import Config
from audit.errors import CannotLook, MissingExtra, UsageError
from audit.records.dataset import Dataset
from audit.records.table import Remark, Source
from audit.records.words import Kind, Role

_LIBRARIES = ("pandas", "polars")
_ROWS = 10


def with_frames(config: Config, frames: Mapping[str, Any], scratch: str) -> Config:
    """The configuration with these frames as what its datasets of the same names hold; other names are new datasets.

    A new one whose name is that of a role has the role. Raises `UsageError` for what is no
    frame, and for a dataset that is no table.
    """
    known = {dataset.name: dataset for dataset in config.datasets}
    for number, (name, frame) in enumerate(sorted(frames.items())):
        dataset = known.get(name) or _new(name)
        if dataset.kind is not Kind.TABLE:
            raise UsageError(f"frames[{name!r}]: the dataset of that name is of kind {dataset.kind}, not table")
        known[name] = replace(dataset, frame=_written(name, frame, f"{scratch}/frame-{number}.arrow"))
    return replace(config, datasets=tuple(known[name] for name in sorted(known)))


def _new(name: str) -> Dataset:
    role = next((role for role in Role if role == name), None)
    return Dataset(name=name, path=name, kind=Kind.TABLE, role=role, optional=True)


def _written(name: str, frame: Any, path: str) -> Source:
    """The frame as an Arrow file."""
    library = type(frame).__module__.partition(".")[0]
    if library not in _LIBRARIES or type(frame).__name__ != "DataFrame":
        raise UsageError(f"frames[{name!r}] is no DataFrame of pandas or polars, but {type(frame).__name__}")
    columns = [str(column) for column in frame.columns]
    for column, count in Counter(columns).items():
        if count > 1:
            raise UsageError(f"frames[{name!r}] has {count} columns called {column!r}")
    try:
        remarks = _pandas(name, frame, path) if library == "pandas" else _polars(name, frame, path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotLook(f"frames[{name!r}] cannot be written: {reason}", where=os.path.dirname(path)) from error  # noqa: PTH120 - a plain string
    return Source(files=(path,), names=(name,), format="ipc", remarks=tuple(remarks))


def _pandas(name: str, frame: Any, path: str) -> list[Remark]:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("data", "pyarrow, which hands over frames of pandas,") from None
    frame, remarks = frame.copy(deep=False), []
    frame.columns = [str(column) for column in frame.columns]
    for column in frame.columns:
        if frame[column].dtype == object:
            try:
                pa.array(frame[column], from_pandas=True)
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
                values = [None if _is_missing(one) else one for one in frame[column]]
                remarks.append(_mixed(name, column, values))
                frame[column] = [None if one is None else str(one) for one in values]
    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return remarks


def _is_missing(value: Any) -> bool:
    """What pandas counts as missing among objects: None, NaN, NaT and NA, none of which equals itself as true."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float) and value != value  # noqa: PLR0124 - NaN


def _polars(name: str, frame: Any, path: str) -> list[Remark]:
    import polars as pl

    remarks = []
    for column in [column for column, dtype in frame.schema.items() if dtype == pl.Object]:
        values = frame.get_column(column).to_list()
        remarks.append(_mixed(name, column, values))
        text = pl.Series(column, [None if one is None else str(one) for one in values], dtype=pl.String)
        frame = frame.with_columns(text)
    frame.write_ipc(path)
    return remarks


def _mixed(name: str, column: str, values: list[Any]) -> Remark:
    """How many values are not of the most frequent type, and the first rows of those."""
    types = Counter(type(one).__name__ for one in values if one is not None)
    said = ", ".join(f"{count:,} {kind}" for kind, count in types.most_common())
    most = types.most_common(1)[0][0] if types else ""
    rows = [row for row, one in enumerate(values, 1) if one is not None and type(one).__name__ != most]
    return Remark(
        kind="mixed",
        count=len(rows),
        message=f"values of several types: {said}",
        column=column,
        lines=tuple(rows[:_ROWS]),
        file=name,
    )
