"""`audio.content`: clips hold the sound they should: not silent, not clipped, with all that their rate promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from audit.checks._offenders import clips as drawn
from audit.checks._signal_drift import Allowed, Sides, drift, judged_signals, left_out, told
from audit.checks.audio._heard import Limits, Remark, remarks
from audit.checks.audio._heard_shown import figures, histograms
from audit.facts.signals.audio_decode import AudioDecode
from audit.facts.signals.audio_drift import AudioDrift
from audit.records.audio_decoded import DecodedClip, DecodedClips, SoundsApart
from audit.records.check import Check, Request
from audit.records.dataset import Dataset, DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.labels import Weight
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Role, Severity

_UNSURE = 1152
"""Frames by which the count of an MP3 may be off."""

Hertz = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Content(Check):
    """Clips hold sound as it should be: not silent, not clipped, and as wide as their sample rate says.

    Decodes all of each clip to floats, once for this check and `audio.integrity`, and measures:
    peak, RMS, loudness (ITU-R BS.1770-4, integrated and gated), silence, flat tops at the
    extremes, DC offset, equal or inverted channels, and the spectrum.

    Kinds: `silent`, an error, where no 30 ms of a clip is louder than `silence_dbfs` (RMS without
    DC); `peak` and `loudness`, errors, outside their bounds: a peak of more than +6 dBFS means
    floats that were never scaled to 1.0. All others are warnings: `silence`, `clipping`,
    `dc-offset`, `inverted` (one channel is the other upside down), `hum`, `image`, `bandwidth`;
    and `identical`, a note, for the same sound in all channels.

    `image` is sound that was brought to a higher rate without a low-pass: each sample stands
    several times in a row, or the upper half of the spectrum is in step with the lower, and weaker
    as repeating, interpolating or filling with zeros makes it. `bandwidth` is a spectrum that
    ends in a cliff: it falls by at least 30 dB within some hundred hertz, below
    `min_bandwidth_share` of what the rate could hold, or `min_bandwidth_hz`. A spectrum that
    falls gently, as that of a low or quiet voice, or a lone tone, is never a fault of one clip.
    Only where `min_bandwidth_hz` is declared, and no clip of the whole dataset has any sound
    that high (within 80 dB of its strongest frequency), the dataset is told.

    `hum` wants clips of at least two seconds and lines at 50 or 60 Hz, or at several of their
    multiples, that stay for nine tenths of the time. Where only even multiples are there, it
    is not told from a voice that keeps its pitch.

    The validation set (role `val`) is held against the training set (role `train`; several of
    them together), any dataset against a `reference` that is named: peak and RMS in dBFS,
    loudness, the shares of silence and of clipped samples, DC offset, the highest frequency
    (`top_hz`) and the share of power above a quarter of the sample rate (`high_share_db`). A
    measure has drifted (`drift`, an error) as a number does in `table.drift`: the
    Kolmogorov-Smirnov distance is above `tolerance`, **and** chance does not explain it: its
    p-value, adjusted by Holm's procedure over all measures, is below `false_alarms`. Fewer than
    30 clips, or so few that a distance of twice the tolerance could not be told, is
    `insufficient`, a warning. Chance is reckoned for clips that are independent: where whole
    speakers were dealt to one side, a difference between speakers shows as drift.

    `unreadable`, an error, is a clip that is known to be cut, corrupt or empty: `audio.integrity` tells
    more. A clip that nothing here understands makes the rule `error`.

    ## Why it matters

    Telephone speech in a 16 kHz header trains a model on an empty upper half, which then hears
    the telephone, not the speech. A muted microphone gives silence with a text; a converter
    that was overdriven gives consonants that nobody spoke. None of it stops a training run.

    ## Example

    ```yaml
    datasets:
      clips: {path: "data/clips/**/*.wav"}
      train: {path: "data/train/**/*.wav", role: train}
      val: {path: "data/val/**/*.wav", role: val}
    rules:
      - id: clips-sound
        check: audio.content
        with: {dataset: clips, min_bandwidth_hz: 6000, min_loudness_lufs: -40}
      - id: val-sounds-like-train
        check: audio.content
        with: {dataset: val, reference: train, tolerances: {peak_dbfs: 0.2}}
    ```

    ## How to fix

    Listen to the first few: the report shows them over time. Silent and clipped clips are
    recorded again or left out. Where the bandwidth is too small, go back to the source: what a
    low-pass took away no resampler brings back; train at the lower rate, or leave these clips
    out of the validation set. A DC offset and hum are filtered out with a high-pass. If the
    sound is meant to be so, widen the limit, or write a waiver.
    """

    accepts = frozenset({Kind.AUDIO})

    dataset: DatasetName
    silence_dbfs: Annotated[
        float, Meta(description="A clip is silent if its loudest 30 ms are below this level, in dBFS (RMS without DC).")
    ] = -70.0
    max_silence: Annotated[Share, Meta(description="The largest share of a clip that may be below -60 dBFS.")] = 0.9
    max_clipped: Annotated[
        Share, Meta(description="The largest share of samples that may lie in flat tops at the extremes.")
    ] = 0.001
    max_dc: Annotated[Share, Meta(description="The largest mean of a channel, as a share of full scale.")] = 0.02
    min_peak_dbfs: Annotated[float | None, Meta(description="The lowest peak, in dBFS.")] = None
    max_peak_dbfs: Annotated[float | None, Meta(description="The highest peak, in dBFS.")] = 6.0
    min_loudness_lufs: Annotated[float | None, Meta(description="The lowest integrated loudness, in LUFS.")] = None
    max_loudness_lufs: Annotated[float | None, Meta(description="The highest integrated loudness, in LUFS.")] = None
    min_bandwidth_hz: Annotated[
        Hertz | None, Meta(description="The frequency, in Hz, below which no spectrum may end in a cliff.")
    ] = None
    min_bandwidth_share: Annotated[
        Share, Meta(description="The same as a share of half the sample rate, where no frequency is declared.")
    ] = 0.6
    max_hum_db: Annotated[float, Meta(description="The loudest hum of the mains, in dB relative to the clip.")] = -40.0
    identical_channels: Annotated[Weight, Meta(description="How much it weighs if all channels are the same.")] = "note"

    reference: Annotated[
        DatasetName | None,
        Meta(description="The dataset to compare with; left out, role `val` is compared with role `train`."),
    ] = None
    compare: Annotated[bool, Meta(description="Whether to compare with another dataset at all.")] = True
    tolerance: Annotated[Share, Meta(description="The distance between distributions that is let pass.")] = 0.1
    tolerances: Annotated[
        dict[str, Share], Meta(description="That of single measures, by name or pattern; 1 lets any pass.")
    ] = {}
    false_alarms: Annotated[
        float, Meta(gt=0, lt=1, description="How often a rule may fail though nothing has drifted.")
    ] = 0.01

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The clips, decoded and measured; and how they stand to those of the reference."""
        dataset = project.dataset(self.dataset)
        wanted: dict[str, Request[Any]] = {"clips": AudioDecode(root=project.root, dataset=dataset)}
        if references := self._references(project):
            wanted["apart"] = AudioDrift(
                root=project.root, references=references, current=dataset, false_alarms=self.false_alarms
            )
        return wanted

    def _references(self, project: Project) -> tuple[Dataset, ...]:
        if not self.compare or self.reference == self.dataset:
            return ()
        if self.reference is not None:
            return (project.dataset(self.reference),)
        if project.dataset(self.dataset).role is not Role.VAL:
            return ()
        return tuple(one for one in project.role(Role.TRAIN) if one.kind is Kind.AUDIO)

    def evaluate(self, clips: DecodedClips, apart: SoundsApart | None = None) -> Iterator[Finding]:
        """What is wrong with single clips, then with all of them."""
        found = [violation for clip in clips.clips for violation in self._judged(clip)]
        found += self._narrow(clips)
        yield from (one.violation() for one in clips.unseen)
        yield from found
        yield from figures(clips.clips)
        yield from histograms(clips.clips)
        clause = ""
        if apart is not None:
            columns = judged_signals(apart.drift, Allowed(self.tolerance, self.tolerances, self.false_alarms))
            sides = Sides(", ".join(apart.names), self.dataset, "clip")
            yield from (one.violation() for one in apart.unseen)
            yield from left_out(apart.faulty)
            yield from drift(apart.drift, columns, sides)
            yield Figure(name="clips_reference", value=apart.clips)
            clause = f"; {told(columns, sides)}"
        yield Summary(text=_told(clips.clips, found) + clause)

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, over time."""
        return drawn(project, self.dataset, violations)

    def _judged(self, clip: DecodedClip) -> Iterator[Violation]:
        sound = clip.decoded.sound
        unseen = not clip.decoded.is_faulty
        if sound is None:
            what = clip.decoded.faults[0].what if clip.decoded.faults else "holds no sound"
            message = f"its sound cannot be judged: it {what}"
            yield Violation(subject=clip.path, kind="unreadable", message=message, unseen=unseen)
            return
        if clip.decoded.frames < (clip.decoded.claimed or 0) - _UNSURE:
            message = f"only {clip.decoded.frames:,} of {clip.decoded.claimed:,} frames could be decoded and judged"
            yield Violation(subject=clip.path, kind="unreadable", message=message, unseen=unseen)
        for one in remarks(clip.decoded, sound, self._limits()):
            yield _violation(clip.path, one)

    def _limits(self) -> Limits:
        said = msgspec.structs.asdict(self)
        return Limits(**{name: said[name] for name in Limits.__struct_fields__})

    def _narrow(self, clips: DecodedClips) -> Iterator[Violation]:
        """Tell a dataset of which no clip reaches the bandwidth that was declared."""
        tops = [one.decoded.sound.top_hz for one in clips.clips if one.decoded.sound and one.decoded.sound.rms]
        if self.min_bandwidth_hz is not None and tops and max(tops) < self.min_bandwidth_hz:
            highest = round(max(tops))
            message = (
                f"none of {len(tops):,} clips holds any sound above {highest:,} Hz, though "
                f"{self.min_bandwidth_hz:,g} Hz are declared: was all of it made from a lower sample rate?"
            )
            yield Violation(
                subject=clips.path,
                kind="bandwidth",
                message=message,
                severity=Severity.WARNING,
                expected=self.min_bandwidth_hz,
                found=highest,
            )


def _violation(path: str, remark: Remark) -> Violation:
    return Violation(
        subject=path,
        kind=remark.kind,
        message=remark.message,
        severity=remark.severity,
        expected=remark.expected,
        found=remark.found,
    )


def _told(clips: Sequence[DecodedClip], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is not Severity.NOTE})
    held = f"{len(clips):,} clip{'' if len(clips) == 1 else 's'}"
    return (
        f"the sound of {held}: {wrong:,} with something wrong" if wrong else f"the sound of {held} is as it should be"
    )
