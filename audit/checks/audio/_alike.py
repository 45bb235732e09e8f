"""Formats held against what is declared, against those of the other clips, and against another dataset's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.records.audio import AudioFormat, Clip
from audit.records.findings import Scalar
from audit.records.words import Severity

Value = str | int | None


class Trait(NamedTuple):
    """Something that clips have in common or not: its kind of violation, the words for it, and what it is of one."""

    kind: str
    words: str
    unit: str
    of: str

    def value(self, form: AudioFormat) -> Value:
        """What it is of this format."""
        value: Value = getattr(form, self.of)
        return value

    def said(self, value: Value) -> str:
        """The value in words."""
        return "none" if value is None else f"{value} {self.unit}".strip()


TRAITS = (
    Trait("rate", "sample rate", "Hz", "sample_rate_hz"),
    Trait("channels", "number of channels", "", "channels"),
    Trait("subtype", "sample format", "", "subtype"),
    Trait("bits", "bit depth", "", "bits"),
    Trait("container", "container", "", "container"),
)
UNIFORM = {"rate": Severity.ERROR, "channels": Severity.ERROR, "subtype": Severity.WARNING}
"""What clips are expected to share, and how much it weighs if one does not."""


class Departure(NamedTuple):
    """How a clip of some format departs from what it should be."""

    kind: str
    message: str
    severity: Severity
    expected: Scalar
    found: Scalar


def declared(wanted: Mapping[str, Sequence[Value]], form: AudioFormat) -> Iterator[Departure]:
    """What of the format is not as declared; `wanted` are the values allowed, by kind."""
    for trait in TRAITS:
        value, allowed = trait.value(form), wanted.get(trait.kind)
        if allowed is not None and value not in allowed:
            ought = " or ".join(map(trait.said, allowed))
            message = f"{trait.words} {trait.said(value)}, not {ought}"
            yield Departure(trait.kind, message, Severity.ERROR, ought if len(allowed) > 1 else allowed[0], value)


def minority(common: Mapping[str, tuple[Value, int]], clips: int, form: AudioFormat) -> Iterator[Departure]:
    """What of the format few clips have; `common` is what most have and how many of them, by kind."""
    for trait in TRAITS:
        value, (most, count) = trait.value(form), common.get(trait.kind, (None, 0))
        if count and value != most:
            message = f"{trait.words} {trait.said(value)}, unlike {count:,} of {clips:,} clips with {trait.said(most)}"
            yield Departure("minority", message, UNIFORM[trait.kind], most, value)


def most_common(clips: Sequence[Clip], kinds: Iterable[str]) -> dict[str, tuple[Value, int]]:
    """What most clips have of each kind, and how many; of two that as many have, the one that sorts first."""
    formats = Counter(clip.header.format for clip in clips if clip.header.format)
    found: dict[str, tuple[Value, int]] = {}
    for trait in (trait for trait in TRAITS if trait.kind in kinds):
        counts: Counter[Value] = Counter()
        for form, count in formats.items():
            counts[trait.value(form)] += count
        found[trait.kind] = min(counts.items(), key=lambda one: (-one[1], str(one[0])), default=(None, 0))
    return found


def unlike(known: Mapping[str, frozenset[Value]], name: str, form: AudioFormat) -> Iterator[Departure]:
    """What of the format no clip of the dataset `name` has; `known` is what its clips have, by kind."""
    for trait in TRAITS:
        value, there = trait.value(form), known.get(trait.kind)
        if there and value not in there:
            ought = ", ".join(sorted(map(trait.said, there)))
            message = f"{trait.words} {trait.said(value)}, which no clip of {name} has: {ought}"
            yield Departure("unlike", message, UNIFORM[trait.kind], ought, value)


def values(clips: Sequence[Clip]) -> dict[str, frozenset[Value]]:
    """All that clips have of what they are expected to share, by kind."""
    formats = {clip.header.format for clip in clips if clip.header.format}
    return {trait.kind: frozenset(trait.value(form) for form in formats) for trait in TRAITS if trait.kind in UNIFORM}
