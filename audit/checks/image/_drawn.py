"""Pictures by their formats and sizes, to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from audit.checks.image._traits import Told
from audit.records.findings import Exhibit, Figure

_BARS = 20
_BINS = 20


def drawn(pictures: Sequence[Told]) -> Iterator[Exhibit]:
    """How many pictures each format and mode has, and a histogram of their sides if they vary."""
    if pictures:
        counts = Counter(f"{one.format.name} {one.format.mode}, {one.format.bits} bits" for one in pictures)
        first = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:_BARS]
        bars = {"labels": [label for label, _ in first], "values": [count for _, count in first]}
        yield Exhibit(type="bars", title="Pictures by format and mode", data=bars)
        yield from _histogram(pictures)


def _histogram(pictures: Sequence[Told]) -> Iterator[Exhibit]:
    widths, heights = zip(*(one.sides for one in pictures), strict=True)
    low, high = min(*widths, *heights), max(*widths, *heights)
    step = -(-(high - low + 1) // _BINS)
    edges = [low + step * bin_ for bin_ in range(-(-(high - low + 1) // step) + 1)]
    if len(set(widths)) > 1 or len(set(heights)) > 1:
        series = {name: _counts(sides, low, step, len(edges) - 1) for name, sides in _named(widths, heights)}
        data = {"edges": edges, "series": series, "unit": "px"}
        yield Exhibit(type="histogram", title="Pictures by width and height", data=data)


def _named(widths: Sequence[int], heights: Sequence[int]) -> tuple[tuple[str, Sequence[int]], ...]:
    return ("width", widths), ("height", heights)


def _counts(sides: Sequence[int], low: int, step: int, bins: int) -> list[int]:
    counts = Counter((side - low) // step for side in sides)
    return [counts[bin_] for bin_ in range(bins)]


def figures(pictures: Sequence[Told]) -> Iterator[Figure]:
    """How many are turned by EXIF, and between what their sides lie."""
    yield Figure(name="turned", value=sum(one.header.orientation != 1 for one in pictures))
    if pictures:
        for name, sides in _named(*zip(*(one.sides for one in pictures), strict=True)):
            yield Figure(name=f"min_{name}_px", value=min(sides))
            yield Figure(name=f"max_{name}_px", value=max(sides))
