"""What a table is expected to be: the words in which `table.schema` is told."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from audit.records.base import Record
from audit.records.table import ColumnType, Scalar

Name = Annotated[str, Meta(description="The name of a column.")]
MAX_PATTERN = 1_000
"""Characters of a pattern."""

MAX_ALLOWED = 10_000
"""Values that a column may be declared to have."""

_Count = Annotated[int, Meta(ge=0)]
_Share = Annotated[float, Meta(ge=0, le=1)]
_Word = Annotated[str, Meta(min_length=1)]
_Pattern = Annotated[str, Meta(min_length=1, max_length=MAX_PATTERN)]
_Values = Annotated[tuple[Scalar, ...], Meta(min_length=1, max_length=MAX_ALLOWED)]


class Extra(StrEnum):
    """What becomes of a column that nobody declared."""

    ALLOW = "allow"
    WARN = "warn"
    FORBID = "forbid"


class Levels(StrEnum):
    """Whether a level that the reference lacks warns, or fails."""

    OPEN = "open"
    CLOSED = "closed"


class Direction(StrEnum):
    """How the values of a column follow each other, in the order of the rows."""

    INCREASING = "increasing"
    STRICTLY_INCREASING = "strictly-increasing"
    DECREASING = "decreasing"
    STRICTLY_DECREASING = "strictly-decreasing"


class ColumnRule(Record):
    """What one column is expected to be. Only what is given is held; missing values are held against `nullable` alone.

    Raises `ValueError` where two of its fields contradict each other.
    """

    type: Annotated[ColumnType | None, Meta(description="What it means, whatever its width or format.")] = None
    nullable: Annotated[bool, Meta(description="Whether values may be missing (null, or NaN).")] = True
    max_missing: Annotated[_Share | None, Meta(description="The share that may be missing, 0 to 1.")] = None
    min: Annotated[Scalar | None, Meta(description="The least value allowed.")] = None
    max: Annotated[Scalar | None, Meta(description="The greatest value allowed.")] = None
    allowed: Annotated[_Values | None, Meta(description="The values that it may have.")] = None
    pattern: Annotated[
        _Pattern | None, Meta(description="A regular expression that matches the whole of each value.")
    ] = None
    unique: Annotated[bool, Meta(description="Whether no value stands twice.")] = False
    required: Annotated[bool, Meta(description="Whether the column must be there.")] = True
    monotonic: Annotated[Direction | None, Meta(description="How values follow each other down the rows.")] = None
    min_length: Annotated[_Count | None, Meta(description="The fewest characters, bytes or list items.")] = None
    max_length: Annotated[_Count | None, Meta(description="The most characters, bytes or list items.")] = None
    zone: Annotated[_Word | None, Meta(description="A timestamp's time zone; `naive` for none, `aware` for any.")] = (
        None
    )

    def __post_init__(self) -> None:
        """Refuse what no column could be."""
        if _crossed(self.min, self.max):
            raise ValueError("`min` is greater than `max`")
        if _crossed(self.min_length, self.max_length):
            raise ValueError("`min_length` is greater than `max_length`")
        if self.zone is not None and self.type not in {None, ColumnType.TIMESTAMP}:
            raise ValueError(f"`zone` is for timestamps; `type` is {self.type}")


class RowBounds(Record):
    """How many rows a table has. Raises `ValueError` where no number of rows is within the bounds."""

    min: Annotated[_Count | None, Meta(description="The fewest rows.")] = None
    max: Annotated[_Count | None, Meta(description="The most rows.")] = None

    def __post_init__(self) -> None:
        """Refuse bounds that cross."""
        if _crossed(self.min, self.max):
            raise ValueError("`min` is greater than `max`")


class Reference(Record):
    """A foreign key: each combination of values in `columns` is one of those in `to` of the other dataset.

    Raises `ValueError` where the two do not have the same number of columns.
    """

    columns: Annotated[tuple[Name, ...], Meta(min_length=1, description="The columns of this table.")]
    dataset: Annotated[str, Meta(description="The dataset that has the keys.")]
    to: Annotated[tuple[Name, ...], Meta(description="Its columns; left out, those of the same names.")] = ()

    def __post_init__(self) -> None:
        """Refuse keys that cannot be compared."""
        distinct(self.columns)
        distinct(self.to)
        if self.to and len(self.to) != len(self.columns):
            raise ValueError(f"`columns` has {len(self.columns)} names, `to` has {len(self.to)}")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the other dataset."""
        return self.to or self.columns


def distinct(names: tuple[str, ...]) -> None:
    """Refuse a name that stands twice: raises `ValueError`."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the column {name!r} is named twice")


def _crossed(low: Scalar | None, high: Scalar | None) -> bool:
    if isinstance(low, bool) or isinstance(high, bool):
        return False
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high
