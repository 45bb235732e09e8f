"""`audio.labels`: manifests agree with the clips that they list."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from audit.checks import _offenders
from audit.checks.audio._lengths import Line, by_clip, drawn, lengths_held, listed_few
from audit.facts.signals.audio_headers import AudioHeaders
from audit.facts.signals.labels_audio import AudioLabels
from audit.records.audio import Clip, Clips
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.labels import Manifest, Manifests, Weight
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

Column = Literal["path", "duration", "offset", "end", "text", "rate"]
Path = Annotated[str, Meta(min_length=1)]


class Labels(Check):
    """Manifests agree with the clips that they list: each is there, as long as it is said to be, with a text.

    Reads manifests and the headers of the clips; no sound is decoded. Manifests are

    - JSON Lines as NVIDIA NeMo's (`audio_filepath`, `duration`, `offset`, `text`), or with other usual keys;
    - CSV or TSV with headings (`path`, `duration`, `start`, `end`, `sentence`, ...), Common Voice's among them;
    - Lhotse's recordings and supervisions as JSON Lines;
    - Kaldi's folders: `wav.scp`, with `segments`, `text`, `utt2dur` and `reco2dur` where they are there.

    Each may be packed with gzip. A manifest with a line that is not understood makes the rule `error`.

    Listed paths are relative to the manifest, to the project or to the dataset's folder: to whichever most of them
    fit; `root` says it. Absolute paths, and those that lead out of the folder, are violations and are not opened.

    Kinds: `missing`, `elsewhere` (there, but not in the dataset), `unsafe-path`; `unlabelled`, a clip without a line;
    `twice`, a warning, whether the texts differ or not; `duration`, said as the ratio of the manifest's to the
    header's, and only once where most lines share one; `beyond-end`, a stretch that ends behind its clip; `span`, a
    negative time or a duration of 0; `rate`, another sample rate than the header's; `text`, none or an empty one;
    `normalisation`, a warning, for a name in another Unicode normal form.

    A line without an offset speaks of the whole clip, and so do all lines of a manifest whose offsets are all 0,
    but for Kaldi's segments and Lhotse's supervisions. Codecs pad what they code, so clips that are not stored
    sample by sample may be longer or shorter by 3200 samples. Where a length is only estimated from the head of a
    file, a duration that does not fit makes the rule `error`: nobody can tell which is right.

    ## Why it matters

    A header that says 48 kHz over sound of 16 kHz plays without complaint, three times too fast; only the manifest
    still knows how long the clip was. A clip that is listed and gone ends the training hours in; one that nobody
    lists is never learnt from; a stretch beyond the end is silence with a text.

    ## Example

    ```yaml
    datasets:
      clips: {path: "data/clips/**/*.wav"}
    rules:
      - id: manifest-fits
        check: audio.labels
        with: {dataset: clips, manifest: data/train.jsonl}
      - id: commands-fit
        check: audio.labels
        with: {dataset: clips, manifest: [data/a.csv, data/b.csv], columns: {path: clip, text: word}}
    ```

    ## How to fix

    Get missing clips from where the others came from, or take their lines away. Where all durations share a ratio,
    mend the headers or make the clips again; which of the two is wrong, a listener hears at once. Write the manifest
    anew from the files where it is merely old.
    """

    accepts = frozenset({Kind.AUDIO})

    dataset: DatasetName
    manifest: Annotated[
        Path | tuple[Path, ...],
        Meta(description="The manifests: paths, globs or folders, relative to the project."),
    ]
    root: Annotated[
        str | None, Meta(description="The folder that listed paths are relative to, itself relative to the project.")
    ] = None
    columns: Annotated[
        dict[Column, Path], Meta(description="The headings or keys of JSON that are called otherwise than usual.")
    ] = {}
    tolerance_s: Annotated[float, Meta(ge=0, description="How much durations may differ, codecs aside.")] = 0.05
    unlabelled: Annotated[Weight, Meta(description="How much a clip weighs that no line names.")] = "warning"
    empty_text: Annotated[Weight, Meta(description="How much an empty text weighs.")] = "warning"

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The headers of the clips, and the manifests."""
        dataset = project.dataset(self.dataset)
        labels = AudioLabels(
            root=project.root,
            dataset=dataset,
            paths=(self.manifest,) if isinstance(self.manifest, str) else self.manifest,
            base=self.root,
            columns=tuple(sorted(self.columns.items())),
        )
        return {"clips": AudioHeaders(root=project.root, dataset=dataset), "labels": labels}

    def evaluate(self, clips: Clips, labels: Manifests) -> Iterator[Finding]:
        """One violation for each clip and kind."""
        lines = by_clip(labels.manifests)
        listed = [(clip, lines[clip.path]) for clip in clips.clips if clip.path in lines]
        different, lengths = lengths_held(listed, self.tolerance_s)
        found = [one.violation() for one in (*clips.unseen, *labels.unseen)]
        found += [one.violation() for one in labels.astray]
        found += lengths
        found += [one for clip, some in listed for one in (*_rate(clip, some), *_twice(clip.path, some))]
        found += self._texts(labels.manifests)
        found += self._unlabelled(clips.clips, lines) if labels.whole and listed else ()
        yield from found
        yield Figure(name="lines", value=sum(len(one.utterances) for one in labels.manifests))
        yield Figure(name="clips", value=len(clips.clips))
        yield Figure(name="clips_listed", value=len(listed))
        yield Figure(name="paths_relative_to", value=labels.base)
        yield from drawn(different)
        yield Summary(text=_summary(labels.manifests, clips.clips, found))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, over time."""
        return _offenders.clips(project, self.dataset, violations)

    def _texts(self, manifests: Sequence[Manifest]) -> Iterator[Violation]:
        """Tell the lines without a text, in manifests that have texts."""
        if self.empty_text == "ok":
            return
        empty: defaultdict[str, list[str]] = defaultdict(list)
        for one in manifests:
            if any(each.text is not None for each in one.utterances):
                for each in one.utterances:
                    if not each.unsafe and not (each.text or "").strip():
                        empty[each.path].append(f"{one.path}:{each.where}")
        for path, places in empty.items():
            message = f"has no text ({listed_few(places)})"
            yield Violation(subject=path, kind="text", message=message, severity=Severity(self.empty_text))

    def _unlabelled(self, clips: Sequence[Clip], lines: Mapping[str, Sequence[Line]]) -> Iterator[Violation]:
        if self.unlabelled != "ok":
            severity = Severity(self.unlabelled)
            for clip in clips:
                if clip.path not in lines:
                    message = "is in the dataset, but no line names it"
                    yield Violation(subject=clip.path, kind="unlabelled", message=message, severity=severity)


def _rate(clip: Clip, lines: Sequence[Line]) -> Iterator[Violation]:
    """Tell a sample rate that is said and is not the header's."""
    rate = clip.header.format.sample_rate_hz if clip.header.format else None
    other = [line for line in lines if rate is not None and line.said.sample_rate_hz not in {None, rate}]
    if other:
        said = other[0].said.sample_rate_hz
        message = f"{other[0].place} says a sample rate of {said:g} Hz, its header {rate} Hz"
        yield Violation(subject=clip.path, kind="rate", message=message, expected=said, found=rate)


def _twice(path: str, lines: Sequence[Line]) -> Iterator[Violation]:
    """Tell a stretch that is listed more than once."""
    if len(lines) > 1:
        said: defaultdict[tuple[float, float | None, str], list[Line]] = defaultdict(list)
        for line in lines:
            said[line.said.offset_s or 0.0, line.said.duration_s, line.said.name].append(line)
        again = [some for some in said.values() if len(some) > 1]
        differ = any(len({line.said.text for line in some}) > 1 for some in again)
        if again:
            places = listed_few([line.place for line in again[0]])
            message = f"is listed more than once{', with different texts' if differ else ''} ({places})"
            yield Violation(subject=path, kind="twice", message=message, severity=Severity.WARNING)


def _summary(manifests: Sequence[Manifest], clips: Sequence[Clip], found: Sequence[Violation]) -> str:
    lines = sum(len(one.utterances) for one in manifests)
    held = f"{lines:,} line{'' if lines == 1 else 's'} on {len(clips):,} clip{'' if len(clips) == 1 else 's'}"
    kinds = sorted(Counter(one.kind for one in found).items(), key=lambda one: (-one[1], one[0]))
    return f"{held}: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}" if kinds else f"{held} agree"
