"""Durations and stretches that manifests say, held against what the headers of the clips do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from audit.records.audio import Clip
from audit.records.findings import Exhibit, Violation
from audit.records.labels import Manifest, Utterance
from audit.records.signals import Length

FEW = 3
_ROWS = 20
_ALIKE = 0.01
_MILLISECONDS = 1000
_ROUNDED_S = 1e-6
"""What decimal fractions lose as binary ones, so that 1.05 and 1.1 differ by no more than 0.05."""

CODED_SAMPLES = 3200
"""What a codec may add in front of a clip and behind it: two frames of MP3 and its delay; AAC's priming and a frame."""

_BY_SAMPLE = ("PCM_", "FLOAT", "DOUBLE", "ALAW", "ULAW")


class Line(NamedTuple):
    """A line of a manifest; `whole` if it speaks of the whole clip."""

    manifest: str
    said: Utterance
    whole: bool

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.manifest}:{self.said.where}"


class Difference(NamedTuple):
    """A line that says another duration of a whole clip than its header; in seconds."""

    clip: Clip
    line: Line
    said_s: float
    header_s: float

    @property
    def ratio(self) -> float | None:
        """What is said by what the header says, three digits of it; None for a clip without a sample."""
        return float(f"{self.said_s / self.header_s:.3g}") if self.header_s else None


def by_clip(manifests: Iterable[Manifest]) -> Mapping[str, Sequence[Line]]:
    """The lines with a safe path, by it.

    A line without an offset speaks of the whole clip; so do all of a manifest whose offsets are all 0, unless its
    utterances have names, as those of Kaldi and Lhotse: these are parts.
    """
    found: defaultdict[str, list[Line]] = defaultdict(list)
    for one in manifests:
        parts = any(each.offset_s or (each.name and each.offset_s is not None) for each in one.utterances)
        for each in one.utterances:
            if not each.unsafe:
                found[each.path].append(Line(one.path, each, not parts or each.offset_s is None))
    return found


def lengths_held(
    listed: Iterable[tuple[Clip, Sequence[Line]]], tolerance_s: float
) -> tuple[list[Difference], list[Violation]]:
    """Durations that differ, and all that is to be told of times."""
    different: list[Difference] = []
    found: list[Violation] = []
    compared = 0
    for clip, lines in listed:
        times = [line for line in lines if line.said.duration_s is not None or line.said.offset_s is not None]
        sound = [line for line in times if _possible(line.said)]
        found += _impossible(clip, [line for line in times if not _possible(line.said)])
        if sound and (blind := list(_blind(clip, sound, tolerance_s))):
            found += blind
            continue
        compared += sum(line.whole and line.said.duration_s is not None for line in sound)
        different += _differences(clip, sound, tolerance_s)
        found += _beyond(clip, sound, tolerance_s)
    return different, [*found, *_told(different, compared)]


def listed_few(said: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(said) - FEW:,} more" if len(said) > FEW else ""
    return f"{', '.join(said[:FEW])}{more}"


def _blind(clip: Clip, lines: Sequence[Line], tolerance_s: float) -> Iterator[Violation]:
    """What keeps times from being held against the clip."""
    for fault in clip.header.faults if clip.header.format is None else ():
        unseen = fault.kind in {"unknown", "unsupported"}
        yield Violation(subject=clip.path, kind=fault.kind, message=fault.what, unseen=unseen)
    if clip.header.format is not None and clip.duration_s is None:
        message = f"its header does not say how long it is; {lines[0].place} does"
        yield Violation(subject=clip.path, kind="duration", message=message, unseen=True)
    if clip.header.length not in {Length.EXACT, Length.DECLARED}:
        unfit = [one.line for one in _differences(clip, lines, tolerance_s)]
        if unfit or any(_beyond(clip, lines, tolerance_s)):
            line = (unfit or lines)[0]
            message = f"its length of {_s(clip.duration_s or 0.0)} is only estimated, and does not fit {line.place}"
            yield Violation(subject=clip.path, kind="duration", message=message, unseen=True)


def _differences(clip: Clip, lines: Iterable[Line], tolerance_s: float) -> list[Difference]:
    length, slack = clip.duration_s or 0.0, _slack(clip, tolerance_s)
    said = ((line, line.said.duration_s) for line in lines if line.whole)
    return [Difference(clip, line, each, length) for line, each in said if each and abs(each - length) > slack]


def _beyond(clip: Clip, lines: Sequence[Line], tolerance_s: float) -> Iterator[Violation]:
    end = (clip.duration_s or 0.0) + _slack(clip, tolerance_s)
    if beyond := [line for line in lines if not line.whole and _end(line.said) > end]:
        message = f"ends at {_s(clip.duration_s or 0.0)}, and a stretch of it later ({_stretches(beyond)})"
        yield Violation(subject=clip.path, kind="beyond-end", message=message)


def _impossible(clip: Clip, lines: Sequence[Line]) -> Iterator[Violation]:
    if lines:
        message = f"has a stretch that is negative or of no length ({_stretches(lines)})"
        yield Violation(subject=clip.path, kind="span", message=message)


def _possible(said: Utterance) -> bool:
    return (said.duration_s is None or said.duration_s > 0) and (said.offset_s or 0) >= 0


def _shared_ratio(found: Sequence[Difference], compared: int) -> float | None:
    """The ratio that most of the durations that were compared have in common; None where there is none."""
    ratios = [each.ratio for each in found if each.ratio is not None]
    middle = median(ratios or [0.0])
    alike = sum(_is_near(each, middle) for each in ratios)
    return middle if alike >= FEW and 2 * alike > compared else None


def _told(found: Sequence[Difference], compared: int) -> Iterator[Violation]:
    """Once those that share a ratio, each clip of the others by itself."""
    ratio = _shared_ratio(found, compared)
    alike = [each for each in found if ratio is not None and _is_near(each.ratio, ratio)]
    if ratio is not None:
        yield _shared(alike, ratio, compared)
    others: defaultdict[str, list[Difference]] = defaultdict(list)
    for each in found:
        if ratio is None or not _is_near(each.ratio, ratio):
            others[each.clip.path].append(each)
    yield from map(_single, others.values())


def drawn(found: Sequence[Difference]) -> Iterator[Exhibit]:
    """The first of them as a table."""
    if found:
        rows = [[each.clip.path, each.line.place, each.said_s, each.header_s, each.ratio] for each in found[:_ROWS]]
        columns = ["clip", "line", "manifest, s", "header, s", "ratio"]
        yield Exhibit(type="table", title="Durations that differ", data={"columns": columns, "rows": rows})


def _single(some: Sequence[Difference]) -> Violation:
    first = some[0]
    ratio = "duration" if first.ratio is None else f"duration ratio {first.ratio}"
    more = f" (and {len(some) - 1:,} lines more)" if len(some) > 1 else ""
    cut = any(fault.kind == "truncated" for fault in first.clip.header.faults)
    who = "the clip, which is cut, holds" if cut else "its header"
    message = f"{ratio}: {first.line.place} says {_s(first.said_s)}, {who} {_s(first.header_s)}{more}"
    said, header = round(first.said_s, 6), round(first.header_s, 6)
    return Violation(subject=first.clip.path, kind="duration", message=message, expected=said, found=header)


def _shared(alike: Sequence[Difference], ratio: float, compared: int) -> Violation:
    first = alike[0]
    ratio = float(f"{ratio:.3g}")
    message = (
        f"duration ratio {ratio}: {len(alike):,} of {compared:,} durations are {ratio} times those of the headers; "
        f"{_reason(first, ratio)} (the first: {first.clip.path}, {_s(first.said_s)}, its header {_s(first.header_s)})"
    )
    return Violation(subject=first.line.manifest, kind="duration", message=message, expected=1.0, found=ratio)


def _reason(first: Difference, ratio: float) -> str:
    rate = first.clip.header.format.sample_rate_hz if first.clip.header.format else 0
    if _is_near(_MILLISECONDS, ratio):
        return "does the manifest say milliseconds?"
    if _is_near(rate, ratio):
        return "does the manifest count samples?"
    return f"either the manifest or the sample rate in the headers ({rate} Hz) is wrong"


def _stretches(lines: Sequence[Line]) -> str:
    return listed_few([f"{line.place}: {_stretch(line.said)}" for line in lines])


def _stretch(said: Utterance) -> str:
    length = "the rest" if said.duration_s is None else _s(said.duration_s)
    return length if said.offset_s is None else f"{length} from {_s(said.offset_s)} on"


def _end(said: Utterance) -> float:
    """Where it ends; of one without a duration, where it begins."""
    return (said.offset_s or 0.0) + (said.duration_s or 0.0)


def _slack(clip: Clip, tolerance_s: float) -> float:
    """How far a duration may be off; more where sound is coded in frames, which pad it."""
    form = clip.header.format
    padded = form is not None and form.sample_rate_hz and not form.subtype.startswith(_BY_SAMPLE)
    coded_s = CODED_SAMPLES / form.sample_rate_hz if form is not None and padded else 0.0
    return max(tolerance_s, coded_s) + _ROUNDED_S


def _is_near(ratio: float | None, other: float) -> bool:
    return ratio is not None and abs(ratio - other) <= _ALIKE * other


def _s(seconds: float) -> str:
    return f"{seconds:.6g} s"
