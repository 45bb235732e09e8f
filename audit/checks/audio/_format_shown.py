"""What of the formats of clips is drawn: how many have which format and rate, and how long they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from audit.records.audio import Clip
from audit.records.findings import Exhibit

_BARS = 20
_BINS = 20
_MICRO = 1_000_000
_SHORTEST = 1000
"""No bin is narrower than what this many microseconds divide into."""


def shown(clips: Sequence[Clip]) -> Iterator[Exhibit]:
    """Bars of formats and of rates, a histogram of durations; nothing of what there is none of."""
    formats = Counter(clip.header.format for clip in clips if clip.header.format)
    rates: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for one, count in formats.items():
        rates[f"{one.sample_rate_hz} Hz"] += count
        words[f"{one.sample_rate_hz} Hz, {one.channels} ch, {one.subtype}"] += count
    if formats:
        yield _bars("Clips by format", words)
        yield _bars("Clips by sample rate", rates)
    lengths = [round(length * _MICRO) for clip in clips if (length := clip.duration_s) is not None]
    if lengths:
        yield Exhibit(type="histogram", title="Clips by duration", data=_histogram(lengths))


def _bars(title: str, counts: Mapping[str, int]) -> Exhibit:
    first = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_BARS]
    data = {"labels": [label for label, _ in first], "values": [count for _, count in first]}
    return Exhibit(type="bars", title=title, data=data)


def _histogram(lengths: Sequence[int]) -> dict[str, object]:
    """Counts between edges at multiples of a round step; lengths in microseconds, edges in seconds."""
    low, high = min(lengths), max(lengths)
    step = _round(max(high - low, high // _BINS, _SHORTEST))
    begin = low // step
    counts = Counter(length // step - begin for length in lengths)
    bins = high // step - begin + 1
    edges = [(begin + number) * step / _MICRO for number in range(bins + 1)]
    return {"edges": edges, "counts": [counts[number] for number in range(bins)], "unit": "s"}


def _round(span: int) -> int:
    """The least of 1, 2, 5, 10, 20, ... microseconds of which so many bins cover the span."""
    power = 1
    while 10 * power * _BINS < span:
        power *= 10
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * _BINS >= span)
