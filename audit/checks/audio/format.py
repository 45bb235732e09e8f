"""`audio.format`: clips have the sample rate, the channels and the sample format that was declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated

from msgspec import Meta

from audit.checks._offenders import clips as drawn
from audit.checks.audio._alike import UNIFORM, Departure, Value, declared, minority, most_common, unlike, values
from audit.facts.signals.audio_headers import AudioHeaders
from audit.records.audio import AudioFormat, Clip, Clips
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

_UNREAD = "unknown"
_BARS = 20

Seconds = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Counts = Count | tuple[Count, ...] | None
Words = str | tuple[str, ...] | None


class Format(Check):
    """Clips have the declared sample rate, channels and sample format.

    Reads the header of each clip, and nothing else of it. WAV files are read, those of
    WAVE_FORMAT_EXTENSIBLE and those beyond 4 GiB (RF64, BW64) among them; a clip of another
    kind is not passed over in silence: the rule is then `error`.

    What is declared must hold for each clip. What is not declared must be alike in all of
    them, unless `uniform: false`: clips with another sample rate or number of channels than
    most fail, those with another sample format warn. `same_as` holds the clips against
    another dataset as well: rates, channels and sample formats that none of its clips has
    are told in the same way; where one of those cannot be understood, the rule is `error`.
    A clip whose header cannot be understood, that is cut short, empty, or the pointer of
    Git LFS, fails.

    ## Why it matters

    A loader reads samples and takes the sample rate for granted. Clips of 8 kHz among those
    of 16 kHz then play at twice their speed, a stereo file is averaged or interleaved, and
    floating-point samples read as integers are silence. Nothing fails; the model is worse.

    ## Example

    ```yaml
    datasets:
      train: {path: "data/train/**/*.wav", role: train}
      val: {path: "data/val/**/*.wav", role: val}
    rules:
      - id: clips-16k-mono
        check: audio.format
        with: {dataset: train, sample_rate_hz: 16000, channels: 1, subtype: PCM_16, min_duration_s: 0.2}
      - id: val-stored-like-train
        check: audio.format
        with: {dataset: val, same_as: train}
    ```

    ## How to fix

    Make the clip again from its source. Where the source itself has another rate, resample
    it with a filter (`sox IN -r 16000 OUT`, or `librosa.resample`); never write another
    number into the header. If both formats are meant, declare both, or say `uniform: false`.
    """

    accepts = frozenset({Kind.AUDIO})

    dataset: DatasetName
    sample_rate_hz: Annotated[Counts, Meta(description="The sample rate, or those allowed, in Hz.")] = None
    channels: Annotated[Counts, Meta(description="The number of channels, or those allowed.")] = None
    subtype: Annotated[
        Words,
        Meta(
            description="The sample format, or those allowed: PCM_U8, PCM_16, PCM_24, PCM_32, FLOAT, DOUBLE, ALAW, "
            "ULAW, MS_ADPCM, IMA_ADPCM, as libsndfile spells them."
        ),
    ] = None
    bits: Annotated[Counts, Meta(description="The bits of a sample that hold sound, or those allowed.")] = None
    container: Annotated[Words, Meta(description="The container, or those allowed: WAV, RF64.")] = None
    min_duration_s: Annotated[Seconds | None, Meta(description="The shortest a clip may be, in seconds.")] = None
    max_duration_s: Annotated[Seconds | None, Meta(description="The longest a clip may be, in seconds.")] = None
    uniform: Annotated[
        bool, Meta(description="What is not declared of rate, channels and sample format is alike in all clips.")
    ] = True
    same_as: Annotated[
        DatasetName | None, Meta(description="The dataset whose clips have each rate and format found here.")
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Clips]]:
        """The headers of the clips, and those of the dataset they are held against."""
        names = {"clips": self.dataset} | ({"other": self.same_as} if self.same_as else {})
        return {fact: AudioHeaders(root=project.root, dataset=project.dataset(name)) for fact, name in names.items()}

    def evaluate(self, clips: Clips, other: Clips | None = None) -> Iterator[Finding]:
        """All that is wrong with a clip is told of that clip."""
        departures = self._departures(clips.clips, other)
        found = [violation for clip in clips.clips for violation in self._judged(clip, departures)]
        yield from (one.violation() for one in clips.unseen)
        yield from _unread(other)
        yield from found
        yield Figure(name="clips", value=len(clips.clips))
        yield Figure(name="duration_s", value=round(sum(clip.duration_s or 0.0 for clip in clips.clips), 3))
        yield from _drawn(clips.clips)
        yield Summary(text=_told(clips.clips, found))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, over time."""
        return drawn(project, self.dataset, violations)

    def _departures(self, clips: Sequence[Clip], other: Clips | None) -> Callable[[AudioFormat], Iterable[Departure]]:
        """What tells how a format departs from what it should be; few clips have a format of their own."""
        wanted = self._wanted()
        common = most_common(clips, UNIFORM.keys() - wanted.keys()) if self.uniform else {}
        known = {} if other is None or any(_unread(other)) else values(other.clips)

        @cache
        def departures(form: AudioFormat) -> tuple[Departure, ...]:
            some = (*declared(wanted, form), *minority(common, len(clips), form))
            return (*some, *unlike(known, self.same_as or "", form))

        return departures

    def _wanted(self) -> dict[str, tuple[Value, ...]]:
        """The values allowed, by kind."""
        said = {
            "rate": self.sample_rate_hz,
            "channels": self.channels,
            "subtype": self.subtype,
            "bits": self.bits,
            "container": self.container,
        }
        return {
            kind: value if isinstance(value, tuple) else (value,) for kind, value in said.items() if value is not None
        }

    def _judged(self, clip: Clip, departures: Callable[[AudioFormat], Iterable[Departure]]) -> Iterator[Violation]:
        for fault in clip.header.faults:
            yield Violation(
                subject=clip.path,
                kind=fault.kind,
                message=fault.what,
                expected=fault.expected,
                found=fault.found,
                unseen=fault.kind == _UNREAD,
            )
        if clip.header.format:
            for one in departures(clip.header.format):
                yield Violation(
                    subject=clip.path,
                    kind=one.kind,
                    message=one.message,
                    severity=one.severity,
                    expected=one.expected,
                    found=one.found,
                )
            yield from self._long(clip)

    def _long(self, clip: Clip) -> Iterator[Violation]:
        seconds = clip.duration_s
        if seconds is None:
            if self.min_duration_s is not None or self.max_duration_s is not None:
                message = "its header does not say how long it is"
                yield Violation(subject=clip.path, kind="duration", message=message, unseen=True)
            return
        if self.min_duration_s is not None and seconds < self.min_duration_s:
            yield _duration(clip, seconds, f"shorter than {self.min_duration_s:g} s", self.min_duration_s)
        if self.max_duration_s is not None and seconds > self.max_duration_s:
            yield _duration(clip, seconds, f"longer than {self.max_duration_s:g} s", self.max_duration_s)


def _duration(clip: Clip, seconds: float, words: str, limit: float) -> Violation:
    message = f"{seconds:.3f} s long, {words}"
    return Violation(subject=clip.path, kind="duration", message=message, expected=limit, found=round(seconds, 6))


def _unread(other: Clips | None) -> Iterator[Violation]:
    """What keeps the other dataset from being known: what it lacks then tells nothing, and nothing passes by it."""
    if other is None:
        return
    yield from (one.violation() for one in other.unseen)
    for clip in other.clips:
        if clip.header.format is None:
            what = "; ".join(fault.what for fault in clip.header.faults)
            message = f"{what}, so nothing can be held against it"
            yield Violation(subject=clip.path, kind="reference", message=message, unseen=True)


def _drawn(clips: Sequence[Clip]) -> Iterator[Exhibit]:
    formats = Counter(clip.header.format for clip in clips if clip.header.format)
    said = [(f"{one.sample_rate_hz} Hz, {one.channels} ch, {one.subtype}", count) for one, count in formats.items()]
    if said:
        first = sorted(said, key=lambda one: (-one[1], one[0]))[:_BARS]
        bars = {"labels": [label for label, _ in first], "values": [count for _, count in first]}
        yield Exhibit(type="bars", title="Clips by format", data=bars)


def _told(clips: Sequence[Clip], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    formats = {clip.header.format for clip in clips if clip.header.format}
    held = f"{len(clips):,} clip{'' if len(clips) == 1 else 's'}"
    told = f"{wrong:,} of {held} wrong" if wrong else f"{held} as declared"
    return f"{told}, in {len(formats)} format{'' if len(formats) == 1 else 's'}"
