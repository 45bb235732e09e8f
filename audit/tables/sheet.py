"""The Arrow file that a table is brought into: a place in the scratch folder, and a schema of polars' types."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from audit.formats.parts import Partitions
    from audit.records.table import Part


NO_KEY = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows whose key is missing (Apache Hive, dynamic partitions)."""


def new_file(scratch: str, suffix: str = ".arrow") -> str:
    """The path of a new empty file in the scratch folder."""
    handle, path = tempfile.mkstemp(suffix=suffix, dir=scratch)
    os.close(handle)
    return path


def schema(names: Sequence[str], types: Sequence[pl.DataType]) -> pa.Schema:
    """Columns of these names and types in Arrow's words; text with 64-bit offsets, which no block outgrows."""
    import polars as pl
    import pyarrow as pa

    found = [pl.Series("", [], dtype=one).to_arrow().type for one in types]
    large = [pa.large_utf8() if one == pl.String else each for one, each in zip(types, found, strict=True)]
    return pa.schema(list(zip(names, large, strict=True)))


def keys(part: Part, rows: int) -> Iterator[pa.Array]:
    """The columns that a part's folders name, as text."""
    import pyarrow as pa

    for _, value in part.keys:
        yield pa.repeat(pa.scalar(None if value == NO_KEY else value, pa.large_utf8()), rows)


def typed_keys(part: Part, rows: int, kinds: Partitions) -> Iterator[pa.Array]:
    """The same as integers or text, as all parts together have them."""
    for values, kind in zip(keys(part, rows), key_types(kinds), strict=True):
        yield values.cast(kind)


def key_types(kinds: Partitions) -> list[pa.DataType]:
    """Arrow's types of such columns."""
    import pyarrow as pa

    return [pa.int64() if kind == "integer" else pa.large_utf8() for _, kind in kinds]
