"""Columnar files as one lazy table: the same columns of the same meaning in each, or it is said which file differs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from audit.errors import CannotLook
from audit.records.digests import Stamp
from audit.records.table import ColumnType, Source
from audit.tables.faults import explained
from audit.tables.names import exactly
from audit.tables.sheet import NO_KEY
from audit.tables.types import meaning, physical

if TYPE_CHECKING:
    import polars as pl

Schema = Mapping[str, "pl.DataType"]
_TEXTS = frozenset({ColumnType.STRING, ColumnType.CATEGORICAL})
_HIVE = {"integer": "Int64", "string": "String"}


class _Shard(NamedTuple):
    """One file, how the project calls it, and its columns."""

    file: str
    name: str
    schema: Schema


def scan(source: Source) -> pl.LazyFrame:
    """All files of the source in their order. Raises `CannotLook` naming the file that is no table, or another one."""
    import polars as pl

    shards = [_shard(source, number) for number in range(len(source.files))]
    first = shards[0]
    for shard in shards:
        _apart(shard, source)
    for other in shards[1:]:
        _same(first, other)
    runs = [[shard.file for shard in run] for _, run in groupby(shards, key=lambda shard: list(shard.schema.items()))]
    with explained(first.name):
        if len(runs) == 1:
            return _opened(source, runs[0])
        texts = {name for name in first.schema if len({str(shard.schema[name]) for shard in shards}) > 1}
        parts = [_alike(_opened(source, run), source, first.schema, texts) for run in runs]
        return pl.concat(parts, how="vertical_relaxed")


def _shard(source: Source, number: int) -> _Shard:
    import polars as pl

    file = source.files[number]
    name = source.names[number] if source.names else file.rpartition("/")[2]
    read: Callable[[str], Schema] = pl.read_parquet_schema if source.format == "parquet" else pl.read_ipc_schema
    with explained(name):
        if source.stamps:
            _unchanged(source.stamps[number], Path(file).stat(), name)
        schema = read(file)
    if not schema:
        raise CannotLook("has no columns", where=name, hint="write it again, with its columns")
    return _Shard(file, name, schema)


def _unchanged(listed: Stamp, seen: os.stat_result, name: str) -> None:
    """All rules of an audit look at one state of the data, or say that they do not."""
    if (listed.inode, listed.size, listed.mtime_ns) != (seen.st_ino, seen.st_size, seen.st_mtime_ns):
        raise CannotLook("has changed since it was listed", where=name, hint="run the audit again")


def _apart(shard: _Shard, source: Source) -> None:
    """Which of two columns is meant, one of the file and one of its folders, readers do not agree about."""
    for name, _ in source.partitions:
        if name in shard.schema:
            raise CannotLook(
                f"has a column {name!r}, and its folder names another",
                where=shard.name,
                hint="leave it out of the file, or name the folder otherwise",
            )


def _same(first: _Shard, other: _Shard) -> None:
    """Order and width may differ; names and meanings may not. A column without any value fits every other."""
    for difference in _differences(first.schema, other.schema):
        raise CannotLook(
            f"{difference}, unlike {first.name}",
            where=other.name,
            hint="write all files of the dataset with the same columns",
        )


def _differences(first: Schema, other: Schema) -> Iterator[str]:
    yield from (f"lacks the column {name!r}" for name in first if name not in other)
    yield from (f"has a column {name!r}" for name in other if name not in first)
    for name in first:
        kinds = {meaning(first[name]), meaning(other[name])} - {ColumnType.NULL}
        if len(kinds) > 1 and not kinds <= _TEXTS:
            yield f"its column {name!r} is {physical(other[name])}, not {physical(first[name])}"


def _alike(frame: pl.LazyFrame, source: Source, schema: Schema, differing: set[str]) -> pl.LazyFrame:
    """The columns in the first file's order; categories and text together are text."""
    import polars as pl

    texts = {name for name in differing if meaning(schema[name]) in _TEXTS}
    keys = [name for name, _ in source.partitions]
    return frame.select(
        [exactly(name).cast(pl.String) if name in texts else exactly(name) for name in (*schema, *keys)]
    )


def _opened(source: Source, files: Sequence[str]) -> pl.LazyFrame:
    import polars as pl

    opener = pl.scan_parquet if source.format == "parquet" else pl.scan_ipc
    if not source.partitions:
        return opener(list(files), hive_partitioning=False)
    ours = dict(source.partitions)
    above = {name for name, _ in _named(files[0])[: -len(ours)]}  # polars takes the project's own folders for keys too
    if above & ours.keys() or any(_is_odd(value) for file in files for _, value in _named(file)):
        runs = groupby(files, key=lambda file: _named(file)[-len(ours) :])
        return pl.concat(
            [opener(list(run), hive_partitioning=False).with_columns(_literals(keys, ours)) for keys, run in runs]
        )
    schema = {name: _HIVE[ours.get(name, "string")] for name in sorted(above | ours.keys())}
    types = {name: getattr(pl, kind) for name, kind in schema.items()}
    frame = opener(list(files), hive_partitioning=True, hive_schema=types, try_parse_hive_dates=False)
    return frame.drop(sorted(above))


def _is_odd(value: str) -> bool:
    """Whether polars does not take the folder for a partition: it says so of no other value."""
    return "=" in value or "\ufffd" in value


def _named(file: str) -> list[tuple[str, str]]:
    """The keys and values that the folders above a file name, outermost first."""
    folders = (folder.partition("=") for folder in file.split("/")[:-1] if "=" in folder.lstrip("="))
    return [(name, unquote(value)) for name, _, value in folders]


def _literals(keys: Sequence[tuple[str, str]], ours: Mapping[str, str]) -> list[pl.Expr]:
    import polars as pl

    given = [(name, None if value == NO_KEY else value) for name, value in keys]
    return [pl.lit(value, pl.String).cast(getattr(pl, _HIVE[ours[name]])).alias(name) for name, value in given]
