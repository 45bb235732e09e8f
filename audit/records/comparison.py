"""A comparison report that people look at: what was asked for, and what became of it."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.table import Source


class Compare(Record):
    """Two tables to compare, what to call them, and how much they may cost.

    At most `rows` rows of each are looked at, and `columns` columns that both have; of those that
    `only` names (by name or pattern; all, if it is empty) and `ignore` does not.
    The page is written to the folder `scratch`; `memory_mib` bounds the process that writes it.
    """

    reference: Source
    current: Source
    names: tuple[str, str]
    scratch: str
    rows: int
    columns: int
    memory_mib: int
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Alert(Record):
    """What the report points at in one column: a word for it, on which sides (0 the reference, 1 the current).

    `values` are the numbers there: distinct values, a share, a skewness; an imbalance is 0 where all levels are as
    frequent and 1 where there is one alone.

    `kind` is one of `constant`, `high-cardinality`, `imbalance`, `infinite`, `missing`, `skewed`, `zeros`.
    """

    column: str
    kind: str
    sides: tuple[int, ...]
    values: tuple[float | None, ...]


class Compared(Record):
    """The page's place, what it points at, and how much was looked at; or the `trouble` that there is no page.

    `left_out` are columns that both tables have, were wanted, and the page does not show.
    """

    path: str = ""
    alerts: tuple[Alert, ...] = ()
    rows: tuple[int, int] = (0, 0)
    columns: int = 0
    left_out: int = 0
    names: tuple[str, str] = ("", "")
    paths: tuple[str, str] = ("", "")
    trouble: str = ""
