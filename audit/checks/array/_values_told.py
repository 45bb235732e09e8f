"""What is wrong with the values of one array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audit.checks.array._faults import subject
from audit.checks.array._values_groups import interval, number
from audit.records.array_values import ArrayValues, Items, ScannedFile
from audit.records.findings import Scalar, Violation
from audit.records.words import Severity

_NARROW, _WIDE = 16, 32
_PICTURES = 4
_SHOWN = 3

SHARE_16_BITS = 0.001
"""The share of 16-bit integers that may be at an end of their type; of wider ones none, of 8-bit ones all."""


class Limits(NamedTuple):
    """What values may be; shares are of all values of an array, or of its items."""

    low: float | None
    high: float | None
    nan: float
    infinite: float
    extreme: float | None
    constant: float | None
    repeated: float | None


def judged(file: ScannedFile, one: ArrayValues, limits: Limits, blank: Severity) -> Iterator[Violation]:
    """All that is wrong with an array; `blank` is what it weighs that there is no value in it."""
    name = subject(file.path, one.key)
    if one.problem:
        hint = "name in `keys` those that are to be looked at" if one.key else "store numbers"
        yield Violation(subject=name, kind="unscanned", message=f"{one.problem} ({hint})", unseen=True)
        return
    if not one.count:
        yield Violation(subject=name, kind="empty", message=f"has no values: shape {list(one.shape)}", severity=blank)
        return
    yield from _no_numbers(name, one, limits)
    yield from _beyond(name, one, limits)
    yield from _extreme(name, one, limits)
    yield from _same(name, one)
    if one.items is not None:
        yield from _items(name, one, one.items, limits)
    elif limits.constant is not None or limits.repeated is not None:
        yield from _without(name, one)


def _no_numbers(name: str, one: ArrayValues, limits: Limits) -> Iterator[Violation]:
    for kind, words, count, most in (
        ("nan", "NaN", one.nan, limits.nan),
        ("infinite", "infinite", one.infinite, limits.infinite),
    ):
        if count > most * one.count:
            message = f"{_of(count, one.count, 'value')} {_are(count)} {words}"
            yield Violation(subject=name, kind=kind, message=message, expected=_at_most(most), found=count)


def _beyond(name: str, one: ArrayValues, limits: Limits) -> Iterator[Violation]:
    if one.low is None or one.high is None:
        return
    found = interval(one.low, one.high)
    if limits.low is not None and one.low < limits.low:
        message = f"values in {found}, below {limits.low:g}"
        yield Violation(subject=name, kind="low", message=message, expected=limits.low, found=one.low)
    if limits.high is not None and one.high > limits.high:
        message = f"values in {found}, above {limits.high:g}"
        yield Violation(subject=name, kind="high", message=message, expected=limits.high, found=one.high)


def _extreme(name: str, one: ArrayValues, limits: Limits) -> Iterator[Violation]:
    """Casting NaN, or a number that is too large, gives an end of the type or wraps around it."""
    count, bits = one.at_low + one.at_high, _bits(one.dtype)
    if not count or (limits.extreme is None and bits < _NARROW):
        return
    most = limits.extreme if limits.extreme is not None else 0.0 if bits >= _WIDE else SHARE_16_BITS
    if count > most * one.count:
        sides = ((one.low, one.at_low), (one.high, one.at_high))
        ends = [number(end) for end, some in sides if some and end is not None]
        message = (
            f"{_of(count, one.count, 'value')} {_are(count)} {' or '.join(ends)}, an end of {one.dtype}: "
            "clipped, or cast from NaN or from what does not fit"
        )
        severity = Severity.WARNING if limits.extreme is None else Severity.ERROR
        yield Violation(
            subject=name, kind="overflow", message=message, severity=severity, expected=_at_most(most), found=count
        )


def _same(name: str, one: ArrayValues) -> Iterator[Violation]:
    if one.count > 1 and one.low is not None and one.low == one.high and not one.nan and not one.infinite:
        message = f"all {one.count:,} values are {number(one.low)}"
        yield Violation(subject=name, kind="constant", message=message, severity=_weight(one), found=number(one.low))


def _items(name: str, one: ArrayValues, items: Items, limits: Limits) -> Iterator[Violation]:
    if items.problem:
        yield from _not_compared(name, items.problem, limits)
        return
    if items.constant and one.low != one.high:
        which = _listed([f"{each:,}" for each in items.constants], items.constant)
        message = f"{_of(items.constant, items.count, 'item')} {_are(items.constant)} of one value throughout: {which}"
        yield from _share(name, "constant-items", message, items.constant, items.count, limits.constant, _weight(one))
    if items.repeated:
        which = _listed([f"{item:,} as {earlier:,}" for item, earlier in items.repeats], items.repeated)
        repeat = "repeats" if items.repeated == 1 else "repeat"
        message = f"{_of(items.repeated, items.count, 'item')} {repeat} an earlier one byte by byte: {which}"
        yield from _share(name, "repeated-items", message, items.repeated, items.count, limits.repeated, _weight(one))


def _share(  # noqa: PLR0913, PLR0917 - what is told of a share
    name: str, kind: str, message: str, count: int, total: int, most: float | None, weight: Severity
) -> Iterator[Violation]:
    if most is None or count > most * total:
        severity = weight if most is None else Severity.ERROR
        yield Violation(
            subject=name, kind=kind, message=message, severity=severity, expected=_at_most(most or 0.0), found=count
        )


def _without(name: str, one: ArrayValues) -> Iterator[Violation]:
    message = f"has no items to compare: shape {list(one.shape)} (leave out max_constant_share and max_repeated_share)"
    yield Violation(subject=name, kind="items", message=message, unseen=True)


def _not_compared(name: str, problem: str, limits: Limits) -> Iterator[Violation]:
    asked = limits.constant is not None or limits.repeated is not None
    message = f"its items were not compared: {problem}"
    yield Violation(subject=name, kind="items", message=message, severity=Severity.NOTE, unseen=asked)


def _weight(one: ArrayValues) -> Severity:
    """Pictures, clips and features that are blank or repeat are faults; rows of tokens, masks and weights often are."""
    floats = "float" in one.dtype or "complex" in one.dtype
    signals = len(one.shape) >= _PICTURES or (floats and len(one.shape) == _PICTURES - 1)
    return Severity.WARNING if signals else Severity.NOTE


def _bits(dtype: str) -> int:
    digits = dtype.lstrip("uint")
    return int(digits) if digits.isdigit() else 0


def _of(count: int, total: int, noun: str) -> str:
    return f"{count:,} of {total:,} {noun}{'' if total == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _at_most(share: float) -> Scalar:
    return f"at most {share:.6g} of all" if share else 0


def _listed(first: list[str], count: int) -> str:
    shown = ", ".join(first[:_SHOWN])
    return f"{shown}, ..." if count > min(_SHOWN, len(first)) else shown
