"""What was measured of the clips of a dataset, in figures and histograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from audit.checks.audio._heard import dbfs
from audit.records.audio_decoded import DecodedClip, Sound
from audit.records.findings import Exhibit, Figure

_LEVELS = [*range(-90, 7, 3)]
_BINS = 20


def figures(clips: Sequence[DecodedClip]) -> Iterator[Figure]:
    """How many clips, and what is in the middle of them."""
    sounds = _sounds(clips)
    yield Figure(name="clips", value=len(clips))
    yield Figure(name="clips_measured", value=len(sounds))
    if sounds:
        yield Figure(name="median_peak_dbfs", value=round(median(dbfs(one.peak) for one in sounds), 2))
        yield Figure(name="median_rms_dbfs", value=round(median(dbfs(one.rms) for one in sounds), 2))
    if loudness := [one.loudness_lufs for one in sounds if one.loudness_lufs is not None]:
        yield Figure(name="median_loudness_lufs", value=round(median(loudness), 2))
    if edges := [one.bandwidth_hz for one in sounds if one.bandwidth_hz is not None]:
        yield Figure(name="clips_with_an_edge", value=len(edges))
        yield Figure(name="lowest_bandwidth_hz", value=round(min(edges)))


def histograms(clips: Sequence[DecodedClip]) -> Iterator[Exhibit]:
    """The levels of all clips, and where the spectra end of those that do."""
    if sounds := _sounds(clips):
        series = {"peak": _levels([one.peak for one in sounds]), "RMS": _levels([one.rms for one in sounds])}
        data = {"edges": _LEVELS, "series": series, "unit": "dBFS"}
        yield Exhibit(type="histogram", title="Clips by level", data=data)
    ends = [one.bandwidth_hz for one in sounds if one.bandwidth_hz is not None]
    if ends:
        step = max(one.decoded.sample_rate_hz for one in clips) / (2 * _BINS)
        data = {"edges": [step * each for each in range(_BINS + 1)], "counts": _counts(ends, 0, step, _BINS)}
        yield Exhibit(type="histogram", title="Clips by effective bandwidth", data={**data, "unit": "Hz"})


def _sounds(clips: Sequence[DecodedClip]) -> list[Sound]:
    return [one.decoded.sound for one in clips if one.decoded.sound]


def _levels(values: Sequence[float]) -> list[int]:
    return _counts(list(map(dbfs, values)), _LEVELS[0], _LEVELS[1] - _LEVELS[0], len(_LEVELS) - 1)


def _counts(values: Sequence[float], low: float, step: float, bins: int) -> list[int]:
    """How many fall into each bin; what is beyond the ends belongs to the first or last."""
    counts = [0] * bins
    for value in values:
        counts[min(max(int((value - low) // step), 0), bins - 1)] += 1
    return counts
