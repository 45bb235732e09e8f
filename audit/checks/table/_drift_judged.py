"""Whether columns drifted: an effect above its tolerance that chance does not explain, and enough rows to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from audit.measures.held_out import named_for_groups, names_groups
from audit.measures.holm import adjusted
from audit.records.base import Record
from audit.records.drift import Measured, Pair, Test

FEWEST = 30
"""Rows on each side below which nothing fails."""

BLIND = 2.0
"""A test that would only find more than this many times the tolerance is no reason to pass."""

Share = Annotated[float, Meta(ge=0, le=1)]
State = Literal["drift", "insufficient", "pass"]


class Tolerance(Record):
    """The effects that are let pass, each from 0 to 1."""

    numbers: Annotated[Share, Meta(description="Kolmogorov-Smirnov D of numbers, and of lengths of texts.")] = 0.05
    categories: Annotated[Share, Meta(description="Total variation of levels and booleans.")] = 0.03
    timestamps: Annotated[Share, Meta(description="Kolmogorov-Smirnov D of timestamps and dates.")] = 0.05
    missing: Annotated[Share, Meta(description="Difference of the shares of what is missing.")] = 0.05


class Limits(NamedTuple):
    """What a rule says: tolerances, those of single columns (by name or pattern), and the rate of false alarms."""

    tolerance: Tolerance
    columns: Mapping[str, float]
    asked: Sequence[str]
    false_alarms: float
    max_psi: float | None


class Verdict(NamedTuple):
    """One test of a column, judged; `chance` is its p-value after Holm's adjustment."""

    test: Test
    tolerance: float
    chance: float
    state: State


class Judged(NamedTuple):
    """A column, or a stratum of it, judged.

    `range_only` marks times, or names of groups, that lie apart: their distance says nothing.
    """

    pair: Pair
    verdicts: tuple[Verdict, ...]
    over_psi: bool = False
    range_only: bool = False

    @property
    def state(self) -> State:
        """The gravest of its tests; without values on a side there is no test of them, and no pass."""
        states = {one.state for one in self.verdicts}
        if "drift" in states or self.over_psi:
            return "drift"
        return "insufficient" if "insufficient" in states or self.bare else "pass"

    @property
    def values(self) -> tuple[int, int]:
        """How many values each side has."""
        a, b = (side.rows - side.missing - side.nan for side in (self.pair.reference, self.pair.current))
        return a, b

    @property
    def bare(self) -> bool:
        """Whether values should have been compared, and a side has none; where neither has any, both are equal."""
        rows = min(self.pair.reference.rows, self.pair.current.rows)
        equal = self.values == (0, 0) and rows >= FEWEST
        return self.main is None and not (equal or self.pair.note or self.range_only)

    @property
    def main(self) -> Verdict | None:
        """The test of the values themselves."""
        return next((one for one in self.verdicts if one.test.name not in {"missing", "nan"}), None)

    @property
    def compared(self) -> bool:
        """Whether any test said something of the values."""
        return self.main is not None

    @property
    def name(self) -> str:
        """The column, and the stratum of it."""
        return self.pair.column if self.pair.stratum is None else f"{self.pair.column} [{self.pair.stratum}]"


def judged(measured: Measured, limits: Limits) -> tuple[Judged, ...]:
    """All columns in their order; the p-values of all tests of the rule are adjusted together."""
    apart = [_range_only(pair, limits) for pair in measured.pairs]
    tests = [_counted(pair, skip=skip) for pair, skip in zip(measured.pairs, apart, strict=True)]
    chances = iter(adjusted([test.p for some in tests for test in some]))
    return tuple(
        _judged(pair, [(test, next(chances)) for test in some], limits, skip)
        for pair, some, skip in zip(measured.pairs, tests, apart, strict=True)
    )


def _range_only(pair: Pair, limits: Limits) -> bool:
    """Times that do not overlap are what a split by time makes, names of groups that do not, what one by groups makes.

    A rule that names the column judges them anyway.
    """
    if pair.column in limits.columns or pair.column in limits.asked:
        return False
    if pair.kind == "category":
        return _held_out(pair)
    return bool(pair.disjoint) and (pair.kind == "time" or named_for_groups(pair.column))


def _held_out(pair: Pair) -> bool:
    new, gone = pair.unseen, pair.vanished
    if not new.count or (new.count, gone.count) != (pair.current.distinct, pair.reference.distinct):
        return False
    return names_groups(pair.column, [name for name, _ in new.some], [name for name, _ in gone.some])


def _counted(pair: Pair, *, skip: bool) -> list[Test]:
    return [test for test in pair.tests if not (skip and test.name in {"ks", "total_variation"})]


def _judged(pair: Pair, tests: Sequence[tuple[Test, float]], limits: Limits, skip: bool) -> Judged:  # noqa: FBT001
    verdicts = tuple(_verdict(pair, test, chance, limits) for test, chance in tests)
    return Judged(pair, verdicts, _over_psi(pair, verdicts, limits) and not skip, skip)


def _verdict(pair: Pair, test: Test, chance: float, limits: Limits) -> Verdict:
    tolerance = _tolerance(pair, test, limits)
    return Verdict(test, tolerance, chance, _state(test, tolerance, chance, limits.false_alarms))


def _state(test: Test, tolerance: float, chance: float, false_alarms: float) -> State:
    few = min(test.sizes) < FEWEST
    if not few and test.effect > tolerance and chance < false_alarms:
        return "drift"
    blind = test.detectable is None or test.detectable > BLIND * tolerance or test.error > tolerance
    return "insufficient" if few or blind else "pass"


def _tolerance(pair: Pair, test: Test, limits: Limits) -> float:
    if test.name in {"missing", "nan"}:
        return limits.tolerance.missing
    own = next(_own(pair.column, limits.columns), None)
    if own is not None:
        return own
    if test.name == "total_variation":
        return limits.tolerance.categories
    return limits.tolerance.timestamps if pair.kind == "time" else limits.tolerance.numbers


def _own(column: str, columns: Mapping[str, float]) -> Iterator[float]:
    if column in columns:
        yield columns[column]
    yield from (limit for pattern, limit in columns.items() if fnmatchcase(column, pattern))


def _over_psi(pair: Pair, verdicts: Sequence[Verdict], limits: Limits) -> bool:
    """Above the rule's limit, and not by chance: the index alone is also large where rows are few."""
    index = max((one for one in (pair.psi, pair.psi_missing) if one is not None), default=0.0)
    if limits.max_psi is None or index <= limits.max_psi:
        return False
    return any(one.chance < limits.false_alarms and min(one.test.sizes) >= FEWEST for one in verdicts)
