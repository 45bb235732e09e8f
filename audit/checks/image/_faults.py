"""What is wrong with pictures, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from audit.checks.image._names import named
from audit.checks.image._traits import Departure
from audit.records.findings import Violation
from audit.records.image import Picture, Pictures
from audit.records.words import Severity

T = TypeVar("T")


def several(value: T | tuple[T, ...] | None) -> tuple[T, ...]:
    """Values of which one or several may be said."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def violation(path: str, one: Departure) -> Violation:
    """A departure, of the picture at that path."""
    return Violation(
        subject=path,
        kind=one.kind,
        message=one.message,
        severity=one.severity,
        expected=one.expected,
        found=one.found,
    )


def faults(picture: Picture) -> Iterator[Violation]:
    """What keeps a header from being understood; what is no picture by its name either could not be looked at."""
    for fault in picture.header.faults:
        yield Violation(
            subject=picture.path,
            kind=fault.kind,
            message=fault.what,
            expected=fault.expected,
            found=fault.found,
            unseen=fault.kind == "unsupported" or (fault.kind == "unknown" and not named(picture.path)),
        )


def unread(other: Pictures | None) -> Iterator[Violation]:
    """What keeps the other dataset from being known: what it lacks then tells nothing, and nothing passes by it."""
    if other is None:
        return
    yield from (one.violation() for one in other.unseen)
    for picture in other.pictures:
        if picture.header.format is None:
            what = "; ".join(fault.what for fault in picture.header.faults)
            message = f"{what}, so nothing can be held against it"
            yield Violation(subject=picture.path, kind="reference", message=message, unseen=True)


def summed(pictures: Sequence[Picture], found: Sequence[Violation], upright: str) -> str:
    """One sentence on all: how many are wrong, the modes that are, how many have no orientation of `upright`."""
    held = f"{len(pictures):,} picture{'' if len(pictures) == 1 else 's'}"
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    odd = {one.subject for one in found if one.message.startswith("mode ")}
    modes = sorted({one.header.format.mode for one in pictures if one.header.format and one.path in odd})
    turned = sum(one.kind == "orientation" for one in found)
    text = f"{wrong:,} of {held} wrong" if wrong else f"{held} as declared"
    text += f", with modes {', '.join(modes)}" if modes else ""
    return text + (f"; {turned:,} with orientation other than {upright}" if turned else "")
