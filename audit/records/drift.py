"""A pair of tables measured against each other: what was asked, and what is known of each column they share.

Nothing here judges: a `Pair` holds effects and what chance would make of them; the check holds them
against tolerances.
"""

from __future__ import annotations

from typing import Literal

from audit.records.base import Record
from audit.records.profile import TableProfile
from audit.records.table import Source

PairKind = Literal["number", "time", "category", "text", "identifier", "opaque"]
"""How a column is compared: `text` by lengths, `identifier` not at all, `opaque` (lists, bytes) by what is missing."""

TestName = Literal["ks", "total_variation", "length_ks", "missing", "nan"]
"""Kolmogorov-Smirnov D of values or of text lengths, total variation of levels, differences of shares."""


class PairQuestion(Record):
    """Which tables to compare, and how.

    `columns` are those to compare, empty for all that both have; `ignore` are names or patterns
    (`*`, `?`, `[...]`) to leave out; `categories` are numbers that are names of classes. `blocks` is the
    column whose equal values belong together, `by` the column within whose values to compare.
    `lock` is a recorded profile that stands for the reference, as `audit.lock` holds it.
    """

    current: Source
    reference: Source | None = None
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    blocks: str = ""
    by: str = ""
    false_alarms: float = 0.01
    lock: TableProfile | None = None


class Side(Record):
    """One side of a column: how many rows, how many of them null, NaN (not a number) and infinite.

    `low`, `high`, `mean` and `sd` are of finite numbers and of text lengths; those of a time are ISO 8601 texts,
    without `mean` and `sd`. `distinct` counts levels. `sketch` are 12 heights from 0 to 99 over edges that both
    sides share. None is what cannot be known.
    """

    rows: int
    missing: int
    nan: int = 0
    infinite: int = 0
    distinct: int | None = None
    low: float | str | None = None
    high: float | str | None = None
    mean: float | None = None
    sd: float | None = None
    sketch: tuple[int, ...] = ()


class Test(Record):
    """An effect, and the chance of one as large where both sides are drawn alike.

    `p` is not adjusted; `how` names the test. `sizes` are the values that took part on each side.
    `detectable` is the effect that these sizes would find with 80 % power at the strictest level of Holm's
    procedure, None where that cannot be known. `error` bounds how far an effect on bins may be from the exact one.
    Where whole groups were dealt, `groups` of each side took part, `worth` as many independent rows, and `blind`
    says that no arrangement of so few could have been told from chance.
    """

    __test__ = False  # no test case of pytest's

    name: TestName
    effect: float
    p: float
    how: str
    sizes: tuple[int, int]
    detectable: float | None = None
    error: float = 0.0
    groups: tuple[int, int] | None = None
    worth: tuple[float, float] | None = None
    blind: bool = False


class Levels(Record):
    """Levels that only one side has: how many, on how many rows `of` all there, and the commonest as (name, rows).

    Without names where a recorded profile keeps the levels as keyed hashes.
    """

    count: int = 0
    rows: int = 0
    of: int = 0
    some: tuple[tuple[str, int], ...] = ()


class Drawing(Record):
    """Both distributions, as shares: of 30 bins between `edges`, the outer ones with all beyond; or of `labels`."""

    reference: tuple[float, ...]
    current: tuple[float, ...]
    edges: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()


class Pair(Record):
    """A column of both tables, or the part of it within one value `stratum` of the column that separates strata.

    `psi` is over the reference's deciles or the levels, without what is missing; `psi_missing` with it as a level
    of its own. `wasserstein` is in units of the reference's standard deviation. `note` says why the values were
    not compared; `disjoint` that the current times all lie `after` or `before` the reference's, or that no whole
    number is on both sides (`apart`).
    """

    column: str
    kind: PairKind
    reference: Side
    current: Side
    tests: tuple[Test, ...] = ()
    stratum: str | None = None
    psi: float | None = None
    psi_missing: float | None = None
    jensen_shannon: float | None = None
    wasserstein: float | None = None
    unseen: Levels = Levels()
    vanished: Levels = Levels()
    drawing: Drawing | None = None
    disjoint: Literal["after", "before", "apart", ""] = ""
    note: str = ""
    binned: bool = False


class Apart(Record):
    """A column that cannot be compared: absent on one side, or of two types."""

    column: str
    reference: str | None
    current: str | None


class Measured(Record):
    """Two tables measured against each other, column by column in the reference's order; `path` is the current one's.

    The column of strata comes first, as a column of its own. `left_out` are the columns that the question ignores.
    `strata_left_out` counts values of that column beyond those compared, `rows_left_out` the rows of both sides
    that are in no stratum that was compared.
    """

    path: str = ""
    rows: tuple[int, int] = (0, 0)
    pairs: tuple[Pair, ...] = ()
    absent: tuple[Apart, ...] = ()
    types: tuple[Apart, ...] = ()
    left_out: tuple[str, ...] = ()
    strata: int = 0
    strata_left_out: int = 0
    rows_left_out: int = 0
