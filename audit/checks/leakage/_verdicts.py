"""What the strength of single features means: whether one is the answer, under another name or by mistake."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from audit.measures.auc import Z_80, null_variance, quantile
from audit.measures.holm import adjusted
from audit.records.findings import Violation
from audit.records.target import Single, Strength, Target
from audit.records.words import Severity

STRONG = 0.8
"""An AUC of 0.9, or four fifths of the variance: a feature that tells the label nearly alone."""

CLEAR = 0.5
"""An AUC of 0.75, or half of the variance."""


class Limits(NamedTuple):
    """What the rule tolerates, `almost` as a strength; `named` are the columns that it says are features."""

    almost: float
    false_alarms: float
    named: Sequence[str]


class Case(NamedTuple):
    """A feature with its p-values adjusted for the number of features."""

    single: Single
    p: float
    gap: float
    copy: float


def cases(told: Target) -> list[Case]:
    """The features, each with Holm's p-values."""
    found = told.features
    ps = (adjusted([getattr(one, name) for one in found]) for name in ("gap", "copy_p"))
    return [Case(*one) for one in zip(found, adjusted([one.here.p for one in found]), *ps, strict=True)]


def verdict(case: Case, told: Target, limits: Limits) -> Violation | None:
    """The one violation of a feature, the gravest; None if it may stay."""
    single, subject = case.single, f"{told.path}#{case.single.column}"
    how = f"alone tells the label with {shown(single.here)} in rows not seen"
    if single.copy and case.copy < limits.false_alarms:
        return Violation(
            subject=subject, kind="copy", message=f"the label under another name: its values {_alike(told)}"
        )
    if case.p >= limits.false_alarms or single.here.value < CLEAR:
        return None
    if single.there and single.there.value < single.here.value / 2 and case.gap < limits.false_alarms:
        return Violation(
            subject=subject,
            kind="train-only",
            severity=Severity.ERROR if single.here.value >= STRONG else Severity.WARNING,
            message=f"{how}, but with {shown(single.there)} in the current table: what it tells is not there later",
            expected=_number(single.here),
            found=_number(single.there),
        )
    if single.identifier:
        return Violation(
            subject=subject,
            kind="identifier",
            severity=Severity.ERROR if _is_named(single.column, limits.named) else Severity.WARNING,
            message=f"{how}, though no two rows share a value: an identifier is no feature",
            found=_number(single.here),
        )
    if single.here.value < limits.almost:
        return None
    also = f", and with {shown(single.there)} in the current table" if single.there else ""
    return Violation(
        subject=subject,
        kind="alone",
        severity=Severity.WARNING,
        message=f"{how}{also}: is it known before the answer is?",
        found=_number(single.here),
    )


def order(told: Target, limits: Limits) -> Iterator[Violation]:
    """Labels that the number of the row tells."""
    if told.order.value >= CLEAR and told.order.p < limits.false_alarms:
        yield Violation(
            subject=told.path,
            kind="order",
            severity=Severity.WARNING,
            message=f"the number of the row alone tells the label with {shown(told.order)}: the rows are sorted by it, "
            "so shuffle them before they are split or read in batches",
            found=_number(told.order),
        )


def scarce(told: Target, limits: Limits) -> Iterator[Violation]:
    """A warning where a feature that tells the label nearly alone would go unnoticed."""
    needed = quantile(limits.false_alarms / max(len(told.features), 1) / 3) + Z_80
    if told.task == "classes":
        least, others = told.smallest, told.sampled - told.smallest
        reach = 2 * needed * math.sqrt(null_variance(least, others)) if least and others else 1.0
    else:
        reach = math.tanh(needed / math.sqrt(max(told.sampled - 3, 1))) ** 2
    if reach > STRONG:
        rare = f", {told.smallest:,} of the rarest class" if told.task == "classes" else ""
        yield Violation(
            subject=told.path,
            kind="insufficient-data",
            severity=Severity.WARNING,
            message=f"insufficient data: {told.sampled:,} rows{rare} are too few to tell a strong feature from chance",
            found=told.smallest if told.task == "classes" else told.sampled,
        )


def shown(strength: Strength) -> str:
    """The strength in the words of its kind of label."""
    return f"R² {strength.value:.3f}" if strength.auc is None else f"an AUC of {strength.auc:.3f}"


def _is_named(column: str, patterns: Sequence[str]) -> bool:
    return any(column == pattern or fnmatchcase(column, pattern) for pattern in patterns)


def _number(strength: Strength) -> float:
    return strength.value if strength.auc is None else strength.auc


def _alike(told: Target) -> str:
    return (
        "and the classes correspond one to one"
        if told.task == "classes"
        else "order all rows exactly as the label does"
    )
