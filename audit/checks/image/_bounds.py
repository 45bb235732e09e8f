"""What a picture's measures may be, and what is said of one that departs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from audit.facts.signals.image_content import MEASURES
from audit.records.base import Record
from audit.records.findings import Scalar
from audit.records.image_content import Measures
from audit.records.words import Severity

Measure = Literal["brightness", "contrast", "saturation", "sharpness", "noise", "entropy", "commonest", "quality"]


class Bounds(Record):
    """The least and the most that a measure may be."""

    min: Annotated[float | None, Meta(description="The least.")] = None
    max: Annotated[float | None, Meta(description="The most.")] = None


class Departure(NamedTuple):
    """What is wrong with a picture."""

    kind: str
    message: str
    severity: Severity = Severity.ERROR
    expected: Scalar = None
    found: Scalar = None
    unseen: bool = False


def blank(one: Measures, most: float | None) -> Iterator[Departure]:
    """A picture of one colour; or of which more than the share `most` lies within 8 levels."""
    if one.constant:
        colour = f"red {one.red:.0f}, green {one.green:.0f}, blue {one.blue:.0f}"
        yield Departure("blank", f"is blank: all its pixels are {colour}")
    elif most is not None and one.flat > most:
        share = f"{100 * one.flat:.4g} % of its pixels lie within 8 of 256 levels"
        yield Departure("near-blank", f"is nearly blank: {share}", Severity.WARNING, most, one.flat)


def beyond(one: Measures, bounds: Mapping[Measure, Bounds]) -> Iterator[Departure]:
    """Each measure that is out of its bounds; JPEG's quality is that of JPEGs alone."""
    for name, limits in bounds.items():
        value = MEASURES[name](one)
        if value is None:
            if name != "quality":
                yield Departure(name, f"is too small to have a {name}: {one.width} x {one.height}", unseen=True)
        elif limits.min is not None and value < limits.min:
            yield Departure(name, f"{name} {value:.4g}, less than {limits.min:g}", expected=limits.min, found=value)
        elif limits.max is not None and value > limits.max:
            yield Departure(name, f"{name} {value:.4g}, more than {limits.max:g}", expected=limits.max, found=value)
