"""Numbers of two datasets' signals, judged and told as `table.drift` does those of two tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.checks.table._drift_judged import FEWEST, Judged, Limits, Tolerance, Verdict, judged
from audit.checks.table._drift_shown import exhibits, figures, worst_first
from audit.records.drift import Measured, Pair
from audit.records.findings import Figure, Finding, Violation
from audit.records.obstacle import Obstacle
from audit.records.words import Severity

_TINY = 1e-300


class Allowed(NamedTuple):
    """The effect (0 to 1) that is let pass, that of single columns (by name or pattern), and the rate of false alarms.

    The effect is the Kolmogorov-Smirnov D of the numbers, and the difference of the shares of files without one.
    """

    tolerance: float
    tolerances: Mapping[str, float]
    false_alarms: float


class Sides(NamedTuple):
    """How the two datasets are called, and what one of their files is: `picture`, `clip`."""

    reference: str
    current: str
    one: str


def judged_signals(measured: Measured, allowed: Allowed) -> tuple[Judged, ...]:
    """Each column; the p-values of all tests are adjusted together (Holm 1979)."""
    tolerance = Tolerance(numbers=allowed.tolerance, missing=allowed.tolerance)
    names = tuple(pair.column for pair in measured.pairs)
    return judged(measured, Limits(tolerance, allowed.tolerances, names, allowed.false_alarms, None))


def drift(measured: Measured, columns: Sequence[Judged], sides: Sides) -> Iterator[Finding]:
    """A violation `drift` for each column that moved, one `insufficient` for what too few files leave open; all shown.

    Subjects are `PATH#COLUMN`, and the path of the current dataset.
    """
    for one in columns:
        if one.state == "drift":
            yield _moved(measured.path, one, sides)
    yield from _open(measured, columns, sides)
    yield Figure(name="measures_compared", value=len(columns))
    yield Figure(name="measures_drifted", value=sum(one.state == "drift" for one in columns))
    yield from figures(columns)
    yield from exhibits(columns, (sides.reference, sides.current))


def left_out(faulty: Sequence[Obstacle]) -> Iterator[Violation]:
    """Files of the reference that take no part: what is wrong with them, the rules of their own dataset tell."""
    for one in faulty:
        yield Violation(subject=one.path, kind="left-out", message=one.what, severity=Severity.WARNING)


def told(columns: Sequence[Judged], sides: Sides) -> str:
    """How the two stand, in a clause."""
    drifted = [one for one in worst_first(columns) if one.state == "drift"]
    unsure = sum(one.state == "insufficient" for one in columns)
    few = f"; too few {sides.one}s to judge {unsure} of {len(columns)} measures" if unsure else ""
    if not drifted:
        return f"distributed as in {sides.reference}{few}" if unsure < len(columns) else few.removeprefix("; ")
    names = ", ".join(one.name for one in drifted[:3]) + (", ..." if len(drifted) > 3 else "")  # noqa: PLR2004
    return f"{len(drifted)} of {len(columns)} measures distributed unlike {sides.reference}: {names}{few}"


def _moved(path: str, column: Judged, sides: Sides) -> Violation:
    some = [one for one in column.verdicts if one.state == "drift"]
    worst = max(some, key=lambda one: one.test.effect / (one.tolerance or 1e-9))
    return Violation(
        subject=f"{path}#{column.name}",
        kind="drift",
        message="; ".join(_clause(column.pair, one, sides) for one in some),
        expected=f"at most {worst.tolerance:g}",
        found=float(f"{worst.test.effect:.6g}"),
    )


def _clause(pair: Pair, verdict: Verdict, sides: Sides) -> str:
    test, (n, m) = verdict.test, verdict.test.sizes
    chance = f"{verdict.chance:.2g}" if verdict.chance >= _TINY else f"below {_TINY:g}"
    sizes = f"adjusted p {chance}; {n:,} and {m:,} {sides.one}s"
    a, b = pair.reference, pair.current
    if test.name != "ks":
        shares = " -> ".join(f"{100 * side.missing / max(1, side.rows):.1f} %" for side in (a, b))
        return f"{sides.one}s without it {shares}, more than {verdict.tolerance:g} apart ({sizes})"
    way = f": mean {a.mean:.4g} -> {b.mean:.4g}" if a.mean is not None and b.mean is not None else ""
    return f"Kolmogorov-Smirnov D {test.effect:.3g} > {verdict.tolerance:g}{way} ({sizes})"


def _open(measured: Measured, columns: Sequence[Judged], sides: Sides) -> Iterator[Violation]:
    """What could not be told, and what would tell it."""
    unsure = [one for one in columns if one.state == "insufficient"]
    if not unsure:
        return
    n, m = measured.rows
    names = ", ".join(one.name for one in unsure[:5]) + (", ..." if len(unsure) > 5 else "")  # noqa: PLR2004
    verdicts = [each for one in unsure for each in one.verdicts if each.state == "insufficient"]
    yield Violation(
        subject=measured.path,
        kind="insufficient",
        severity=Severity.WARNING,
        message=f"insufficient data: {n:,} and {m:,} {sides.one}s do not tell whether {names} drifted{_why(verdicts)}",
    )


def _why(verdicts: Sequence[Verdict]) -> str:
    if not verdicts or any(min(one.test.sizes) < FEWEST for one in verdicts):
        return f" (fewer than {FEWEST} have it)"
    seen = max(one.test.detectable or 1.0 for one in verdicts)
    least = min(one.tolerance for one in verdicts)
    return (
        f" (so few would only show a D of {seen:.2g} or more; with more files, or a tolerance of"
        f" {math.ceil(50 * seen) / 100:.2g} in place of {least:g}, they would)"
    )
