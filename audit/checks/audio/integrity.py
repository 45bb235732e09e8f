"""`audio.integrity`: every clip can be decoded to its last sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from audit.checks._offenders import clips as drawn
from audit.facts.signals.audio_decode import AudioDecode
from audit.records.audio_decoded import DecodedClip, DecodedClips
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

_DOUBTS = frozenset({"unfinished", "chained", "damaged", "length"})
_DECODED = ("wav", "wave", "aif", "aiff", "aifc", "flac", "ogg", "oga", "opus", "mp3", "w64", "rf64", "caf", "au")
"""Suffixes of the formats that are decoded: what is called so and is none of them is no clip."""


class Integrity(Check):
    """Every clip can be decoded whole: none is cut, corrupt or empty.

    Decodes all of each file with libsndfile, block by block in a process of its own, and
    counts. WAV, RF64, Wave64, AIFF, AU, CAF, FLAC, Ogg Vorbis, Opus and MP3 are decoded; a clip
    of another format (AAC in M4A, WMA, AMR) makes the rule `error`, and so does a file that
    crashes or stalls the decoder.

    More is held against the file than the decoder does, which adapts what a header claims to
    what is there: all that `audio.format` says of headers, the CRC of every page of Ogg, the
    number of frames that a file claims. What changes samples and nothing else cannot be seen in
    WAV and AIFF, and hardly in MP3, which have no checksums; nor can a cut between two frames of
    an MP3 that does not say how many it has. For that, record digests: `data.lock`, `dvc.hash`
    and `files.manifest` see every bit.

    Kinds: `truncated`, `corrupt`, `empty` (no bytes, zeros alone, or no samples), `pointer` (of
    Git LFS), `non-finite` (NaN or infinite samples), `ragged` (it ends within a sample),
    `wrapped` (a WAV that is larger than its header can say), `header` (it contradicts itself),
    `foreign` and `unknown` (no clip). Warnings are `unfinished` (an Ogg without the mark of its
    end), `chained` (several streams one behind the other, of which readers may see the first
    alone), `damaged` (bytes among the frames of an MP3 that are none) and `length`.

    ## Why it matters

    A download that broke off leaves half a clip with the whole clip's text; most libraries read
    it without a word. A NaN among the samples makes the loss NaN a few thousand steps later.

    ## Example

    ```yaml
    datasets:
      clips: {path: "data/clips/**/*.flac"}
    rules:
      - id: clips-decode
        check: audio.integrity
        with: {dataset: clips}
    ```

    ## How to fix

    Fetch the file again from where it came from; `git lfs pull` for a pointer. Where no sound
    copy exists, remove it from the dataset, its line in the manifest included. Convert what is
    not decoded here to FLAC or WAV.
    """

    accepts = frozenset({Kind.AUDIO})

    dataset: DatasetName

    def needs(self, project: Project) -> Mapping[str, Request[DecodedClips]]:
        """The clips, decoded."""
        return {"clips": AudioDecode(root=project.root, dataset=project.dataset(self.dataset))}

    def evaluate(self, clips: DecodedClips) -> Iterator[Finding]:
        """One violation for each fault of a file."""
        found = [violation for one in clips.clips for violation in _judged(one)]
        yield from (one.violation() for one in clips.unseen)
        yield from found
        yield Figure(name="clips", value=len(clips.clips))
        yield Figure(name="frames", value=sum(one.decoded.frames for one in clips.clips))
        yield Figure(name="duration_s", value=sum(map(_duration_s, clips.clips)))
        yield from _counted(found)
        yield Summary(text=_told(clips.clips, found))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, over time."""
        return drawn(project, self.dataset, violations)


def _judged(clip: DecodedClip) -> Iterator[Violation]:
    called_a_clip = clip.path.rpartition(".")[2].lower() in _DECODED
    for fault in clip.decoded.faults:
        yield Violation(
            subject=clip.path,
            kind=fault.kind,
            message=fault.what,
            severity=Severity.WARNING if fault.kind in _DOUBTS else Severity.ERROR,
            expected=fault.expected,
            found=fault.found,
            unseen=fault.kind == "unsupported" or (fault.kind == "unknown" and not called_a_clip),
        )


def _duration_s(clip: DecodedClip) -> float:
    return clip.decoded.frames / clip.decoded.sample_rate_hz if clip.decoded.sample_rate_hz else 0.0


def _counted(found: Sequence[Violation]) -> Iterator[Exhibit]:
    kinds = sorted(Counter(one.kind for one in found).items(), key=lambda one: (-one[1], one[0]))
    if kinds:
        bars = {"labels": [kind for kind, _ in kinds], "values": [count for _, count in kinds]}
        yield Exhibit(type="bars", title="Clips by what is wrong with them", data=bars)


def _told(clips: Sequence[DecodedClip], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    held = f"{len(clips):,} clip{'' if len(clips) == 1 else 's'}"
    return f"{wrong:,} of {held} cannot be decoded whole" if wrong else f"{held} decoded whole"
