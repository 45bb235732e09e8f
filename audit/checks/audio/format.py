"""`audio.format`: clips have the sample rate, the channels and the sample format that was declared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated

from msgspec import Meta

from audit.checks._offenders import clips as drawn
from audit.checks.audio._alike import UNIFORM, Departure, Value, declared, minority, most_common, unlike, values
from audit.checks.audio._format_shown import shown
from audit.checks.audio._suffix import promised
from audit.facts.signals.audio_headers import AudioHeaders
from audit.records.audio import AudioFormat, Clip, Clips
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.signals import Length
from audit.records.words import Kind, Severity

_UNREAD = frozenset({"unknown", "unsupported"})
_DOUBTS = frozenset({"unfinished", "chained", "damaged", "length"})
"""Faults with which a clip can be heard nonetheless."""

Seconds = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Counts = Count | tuple[Count, ...] | None
Words = str | tuple[str, ...] | None


class Format(Check):
    """Clips have the declared sample rate, channels and sample format.

    Reads the header of each clip, and as a rule nothing else of it. What is read: WAV, with
    WAVE_FORMAT_EXTENSIBLE and what is larger than 4 GiB (RF64, BW64); Wave64, AIFF and AIFF-C,
    FLAC, Ogg (Vorbis, Opus, FLAC, Speex), MP3 and MPEG layers I and II, M4A and MP4 (AAC, Apple
    Lossless and others), AAC in ADTS, and NIST SPHERE. A clip of another kind is not passed over
    in silence: the rule is then `error`. What a file is, its content tells; a name that says
    otherwise, an `a.wav` that is SPHERE or an `a.mp3` that is WAV, is a warning.

    How long a clip is, is counted where samples have a fixed size, and in MP3 and ADTS that do
    not begin with a word on it; else it is what the header declares, or in Ogg the last page.
    Where only a part was counted, as of more than 16 MiB of MP3 without such a word, it is an
    estimate and told as one (the figure `estimated`).

    What is declared must hold for each clip. What is not declared must be alike in all of
    them, unless `uniform: false`: clips with another sample rate or number of channels than
    most fail, those with another sample format warn. `same_as` holds the clips against
    another dataset as well: rates, channels and sample formats that none of its clips has
    are told in the same way; where one of those cannot be understood, the rule is `error`.
    A clip whose header contradicts itself, that is cut short as far as its header and size
    tell, empty, no sound at all, or the pointer of Git LFS, fails. Doubts are warnings: a
    stream of Ogg without the mark of its end, several streams or files one behind the other,
    bytes among frames of MP3 that are no sound, a header that declares another length than
    there is.

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
    sample_rate_hz: Annotated[
        Counts,
        Meta(description="The sample rate of the decoded sound, or those allowed, in Hz; 48000 for all Opus."),
    ] = None
    channels: Annotated[Counts, Meta(description="The number of channels, or those allowed.")] = None
    subtype: Annotated[
        Words,
        Meta(
            description="The sample format, or those allowed, as libsndfile spells them: PCM_S8, PCM_U8, PCM_16, "
            "PCM_24, PCM_32, FLOAT, DOUBLE, ALAW, ULAW, MS_ADPCM, IMA_ADPCM, GSM610, VORBIS, OPUS, MPEG_LAYER_III, "
            "ALAC_16, and AAC."
        ),
    ] = None
    bits: Annotated[
        Counts, Meta(description="The bits of a sample that hold sound, or those allowed; lossy codings have none.")
    ] = None
    container: Annotated[
        Words,
        Meta(description="The container, or those allowed: WAV, RF64, W64, AIFF, FLAC, OGG, MP3, MP4, ADTS, NIST."),
    ] = None
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
        yield from _measured(clips.clips)
        yield from shown(clips.clips)
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
                severity=Severity.WARNING if fault.kind in _DOUBTS else Severity.ERROR,
                expected=fault.expected,
                found=fault.found,
                repair="git lfs pull" if fault.kind == "pointer" else None,
                unseen=fault.kind in _UNREAD,
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
            yield from _misnamed(clip, clip.header.format)
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


def _misnamed(clip: Clip, form: AudioFormat) -> Iterator[Violation]:
    """Readers that go by the name cannot read it, and those that go by the content can."""
    ought = promised(clip.path)
    if ought and form.container not in ought:
        message = f"is {form.container}, though it is named as {ought[0]}"
        yield Violation(
            subject=clip.path,
            kind="suffix",
            message=message,
            severity=Severity.WARNING,
            expected=ought[0],
            found=form.container,
        )


def _duration(clip: Clip, seconds: float, words: str, limit: float) -> Violation:
    about = "about " if clip.header.length is Length.ESTIMATED else ""
    message = f"{about}{seconds:.3f} s long, {words}"
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


def _measured(clips: Sequence[Clip]) -> Iterator[Figure]:
    lengths = [length for clip in clips if (length := clip.duration_s) is not None]
    yield Figure(name="clips", value=len(clips))
    yield Figure(name="duration_s", value=round(math.fsum(lengths), 3))
    if lengths:
        yield Figure(name="shortest_s", value=round(min(lengths), 6))
        yield Figure(name="longest_s", value=round(max(lengths), 6))
    if estimated := sum(1 for clip in clips if clip.header.length is Length.ESTIMATED):
        yield Figure(name="estimated", value=estimated)


def _told(clips: Sequence[Clip], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    formats = {clip.header.format for clip in clips if clip.header.format}
    held = f"{len(clips):,} clip{'' if len(clips) == 1 else 's'}"
    told = f"{wrong:,} of {held} wrong" if wrong else f"{held} as declared"
    return f"{told}, in {len(formats)} format{'' if len(formats) == 1 else 's'}"
