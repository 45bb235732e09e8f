"""What pictures have in common or not: held against what is declared, against most others, against another dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.records.findings import Scalar
from audit.records.image import Picture, PictureFormat, PictureHeader
from audit.records.words import Severity

Value = str | int | None

_BYTE = 8
"""Bits up to which loaders make the same of grey: they scale it to a byte."""


PROFILES = ("no colour profile", "a colour profile")


class Told(NamedTuple):
    """A header with a format, and how its sides are counted."""

    header: PictureHeader
    format: PictureFormat
    as_stored: bool

    @property
    def sides(self) -> tuple[int, int]:
        """Width and height."""
        return (self.header.width, self.header.height) if self.as_stored else self.header.upright


class Trait(NamedTuple):
    """Something that pictures have in common or not: its kind of violation, words with its value, what it is of one.

    `alike` weighs a departure from most pictures of the dataset, `known` one from all of another; None: no word of it.
    """

    kind: str
    words: str
    of: Callable[[Told], Value]
    alike: Severity | None = None
    known: Severity | None = None

    def said(self, value: Value) -> str:
        """The value in words."""
        return self.words.format(value)


def _size(one: Told) -> str:
    return "{} x {}".format(*one.sides)


def _profile(one: Told) -> str:
    return PROFILES[bool(one.header.icc)]


DECLARED = (
    Trait("mode", "mode {}", lambda one: one.format.mode),
    Trait("bits", "{} bits a channel", lambda one: one.format.bits),
    Trait("channels", "{} channels", lambda one: one.format.channels),
    Trait("format", "format {}", lambda one: one.format.name),
    Trait("frames", "{} frames", lambda one: one.header.frames),
    Trait("profile", "{}", _profile),
)
"""What is declared value by value."""

SHARED = (
    Trait("mode", "mode {}", lambda one: one.format.mode, Severity.ERROR, Severity.ERROR),
    Trait("bits", "{} bits a channel", lambda one: max(_BYTE, one.format.bits), Severity.WARNING, Severity.WARNING),
    Trait("format", "format {}", lambda one: one.format.name, Severity.ERROR, Severity.WARNING),
    Trait("size", "size {}", _size, Severity.ERROR, Severity.WARNING),
    Trait("profile", "{}", _profile, Severity.WARNING),
)
"""What pictures share. Of another dataset the size is held against only if all of it has one."""


class Departure(NamedTuple):
    """How a picture departs from what it should be."""

    kind: str
    message: str
    severity: Severity
    expected: Scalar = None
    found: Scalar = None


def declared(wanted: Mapping[str, Sequence[Value]], one: Told) -> Iterator[Departure]:
    """What is not as declared; `wanted` are the values allowed, by kind."""
    for trait in DECLARED:
        allowed = wanted.get(trait.kind)
        if allowed is not None and (value := trait.of(one)) not in allowed:
            ought = " or ".join(map(str, allowed))
            message = f"{trait.said(value)}, not {ought}"
            yield Departure(trait.kind, message, Severity.ERROR, ought if len(allowed) > 1 else allowed[0], value)


class Common(NamedTuple):
    """What most pictures have of a trait, how many have it, and how many there are."""

    trait: Trait
    value: Value
    having: int
    all: int


def most_common(pictures: Sequence[Told], kinds: Iterable[str]) -> list[Common]:
    """What most pictures have of each kind; of two values that as many have, the one that sorts first."""
    found = []
    for trait in (trait for trait in SHARED if trait.kind in kinds):
        counts = Counter(map(trait.of, pictures))
        value, count = min(counts.items(), key=lambda each: (-each[1], str(each[0])), default=(None, 0))
        found.append(Common(trait, value, count, len(pictures)))
    return found


def minority(common: Iterable[Common], one: Told) -> Iterator[Departure]:
    """All that few pictures have, in one word."""
    some = [(each, each.trait.of(one)) for each in common]
    parts = [
        (
            each.trait.alike or Severity.NOTE,
            f"{each.trait.said(value)}, unlike {each.having:,} of {each.all:,} pictures with {each.value}",
            each.value,
            value,
        )
        for each, value in some
        if value != each.value
    ]
    yield from _joined("minority", parts)


def values(pictures: Sequence[Picture]) -> dict[str, frozenset[Value]]:
    """All that pictures have of what they share with another dataset, by kind."""
    some = told(pictures, as_stored=False)
    found = {trait.kind: frozenset(map(trait.of, some)) for trait in SHARED if trait.known}
    return {kind: values for kind, values in found.items() if kind != "size" or len(values) == 1}


def unlike(known: Mapping[str, frozenset[Value]], name: str, one: Told) -> Iterator[Departure]:
    """All that no picture of the dataset `name` has, in one word; `known` is what its pictures have, by kind."""
    parts = []
    upright = one._replace(as_stored=False)
    for trait in SHARED:
        there = known.get(trait.kind)
        if there and trait.known and (value := trait.of(upright)) not in there:
            ought = ", ".join(sorted(map(str, there)))
            parts.append((trait.known, f"{trait.said(value)}, which no picture of {name} has: {ought}", ought, value))
    yield from _joined("unlike", parts)


def told(pictures: Iterable[Picture], *, as_stored: bool) -> list[Told]:
    """Those whose header says how they are stored."""
    return [Told(one.header, one.header.format, as_stored) for one in pictures if one.header.format]


def _joined(kind: str, parts: Sequence[tuple[Severity, str, Value, Value]]) -> Iterator[Departure]:
    """One departure of several; it weighs what the heaviest does."""
    if parts:
        heaviest = max((weight for weight, *_ in parts), key=lambda weight: weight.weight)
        message = "; ".join(text for _, text, _, _ in parts)
        expected, found = (", ".join(str(part[at]) for part in parts) for at in (2, 3))
        yield Departure(kind, message, heaviest, expected, found)
