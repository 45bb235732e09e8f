"""Tables as all layers speak of them: where the bytes lie, what the columns are, and what reading them met."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from audit.records.base import Record
from audit.records.digests import Stamp

Scalar = str | int | float | bool


class ColumnType(StrEnum):
    """What a column means, whatever the format, the width or the library that wrote it."""

    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    STRING = "string"
    CATEGORICAL = "categorical"
    TIMESTAMP = "timestamp"
    DATE = "date"
    DURATION = "duration"
    TIME = "time"
    LIST = "list"
    STRUCT = "struct"
    BINARY = "binary"
    NULL = "null"


class Column(Record):
    """A column: its unique name, what it means, and its physical type beside that (`int32`, `decimal(10, 2)`, ...).

    `zone` is a timestamp's time zone, None if it is naive; `unit` the unit of its
    clock (`ms`, `us`, `ns`). `text` marks a column whose type was found in text.
    """

    name: str
    type: ColumnType
    physical: str
    zone: str | None = None
    unit: str | None = None
    text: bool = False


class Remark(Record):
    """Something that reading met: `count` values or rows, the first of them at `lines` (1-based, of `file`).

    `kind` is one of: `ragged` (rows of another number of fields, left out), `encoding`
    (bytes that are not of the encoding), `leading-zeros`, `inexact` (integers that no
    float64 holds, where a reader would make floats of them), `missing-word` ("NA" and
    the like in a column of words), `mixed` (values of several types in one column),
    `not-json` (lines that are none, left out), `duplicate-name`, `nothing`.
    """

    kind: str
    count: int
    message: str
    column: str | None = None
    lines: tuple[int, ...] = ()
    file: str = ""


class Source(Record):
    """A table that is ready to be read column by column: Parquet or Arrow files, absolute, in their order.

    What was text has been brought into an Arrow file of typed columns; `remarks` says what that met.
    `where` takes the rows whose columns have one of the values. `names` are what the project calls
    the files, for messages. `partitions` are the columns that their folders name (`key=value/`),
    and what their values are.
    """

    files: tuple[str, ...]
    format: Literal["parquet", "ipc"]
    names: tuple[str, ...] = ()
    where: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()
    partitions: tuple[tuple[str, Literal["integer", "string"]], ...] = ()
    columns: tuple[Column, ...] = ()
    """Known beforehand where it was staged; else the file says it."""
    remarks: tuple[Remark, ...] = ()
    stamps: tuple[Stamp, ...] = ()
    """The project's own files as they were listed; empty for what lies in the scratch folder."""


class Reading(Record):
    """How text is to be read, as far as a project declares it; what is None is found out.

    `missing` are words that stand for no value in any column, beside nothing at all.
    """

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()


class Part(Record):
    """One file of a table: where its bytes lie (absolute, or a URL), and how the project calls it.

    `keys` are the columns that its folders name (`key=value/`).
    """

    location: str
    name: str
    keys: tuple[tuple[str, str], ...] = ()


class Staging(Record):
    """What is to be brought into the scratch folder, and how it is to be read."""

    parts: tuple[Part, ...]
    scratch: str
    reading: Reading = Reading()


class Staged(Record):
    """What became of it: columnar files, their columns where they were found in text, and what reading met.

    `names` and `partitions` are as in a `Source`, empty where it is one file of our own.
    """

    files: tuple[str, ...]
    format: Literal["parquet", "ipc"]
    names: tuple[str, ...] = ()
    partitions: tuple[tuple[str, Literal["integer", "string"]], ...] = ()
    columns: tuple[Column, ...] = ()
    remarks: tuple[Remark, ...] = ()
