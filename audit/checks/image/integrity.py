"""`image.integrity`: every picture can be decoded to its last pixel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from audit.checks._offenders import pictures as drawn
from audit.checks.image._decoding import decoded
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.decoded import DecodedPicture, DecodedPictures
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

_WEIGHTS = {"end-marker": Severity.WARNING, "trailing": Severity.NOTE}
_DECODED = ("jpg", "jpeg", "png", "gif", "webp", "tif", "tiff", "bmp", "ppm", "pgm", "pbm", "jp2", "avif", "qoi")
"""Suffixes of the formats that are decoded: what is called so and is none of them is no picture."""


class Integrity(Check):
    """Every picture can be decoded whole: none is cut, corrupt or empty.

    Decodes all of each file with Pillow, in a process of its own and without tolerance for
    truncated pictures: every frame of an animation, every page of a TIFF; of several JPEGs in
    one file (MPO), the first. JPEG, PNG, GIF, WebP, TIFF, BMP, PPM, JPEG 2000, AVIF and QOI are
    decoded; a picture of another format makes the rule `error`, and so does a file that
    crashes or stalls the decoder.

    More is held against the file than the decoder does: each CRC of a PNG and the length of its
    data stream; that the data of a JPEG with one scan is used up when its picture is whole, and
    no sooner; that no restart marker is missing. What changes pixels and nothing else cannot be
    seen, for formats other than PNG have no checksums: of two bytes inverted in the scan of a
    photograph, a third to a half is found, and of those between two restart markers, or in a
    progressive JPEG, hardly any. For that, record digests: `data.lock`, `dvc.hash` and
    `files.manifest` see every bit.

    Kinds: `truncated`, `corrupt`, `empty` (no bytes, or zeros alone), `pointer` (of Git LFS),
    `bomb` (more pixels than `max_pixels`, not decoded), `unknown` (no picture); `end-marker`,
    a warning, where all pixels are there and only the end marker is missing; `trailing`, a
    note, for bytes behind the end marker.

    ## Why it matters

    A download that broke off leaves half a picture, and quick checks pass it, since they read
    the header. Training then stops hours later, or, where a loader tolerates truncated
    pictures, learns from grey.

    ## Example

    ```yaml
    datasets:
      pictures: {path: "data/pictures/**/*.jpg"}
    rules:
      - id: pictures-decode
        check: image.integrity
        with: {dataset: pictures, max_pixels: 50000000}
    ```

    ## How to fix

    Fetch the file again from where it came from; `git lfs pull` for a pointer. Where no sound
    copy exists, remove it from the dataset, annotations included. A picture that only lacks its
    end marker is whole when it is saved anew, in a format without loss. If a picture is meant
    to be that large, raise `max_pixels`.
    """

    accepts = frozenset({Kind.IMAGE})

    dataset: DatasetName
    max_pixels: Annotated[
        int, Meta(ge=1, description="The most pixels (width times height) that a picture may declare.")
    ] = 178_956_970

    def needs(self, project: Project) -> Mapping[str, Request[DecodedPictures]]:
        """The pictures, decoded."""
        return {"pictures": decoded(project, self.dataset, self.max_pixels)}

    def evaluate(self, pictures: DecodedPictures) -> Iterator[Finding]:
        """One violation for each fault of a file."""
        found = [violation for one in pictures.pictures for violation in _judged(one)]
        yield from (one.violation() for one in pictures.unseen)
        yield from found
        yield Figure(name="pictures", value=len(pictures.pictures))
        yield Figure(name="frames", value=sum(one.decoded.frames for one in pictures.pictures))
        yield Figure(name="pixels", value=sum(one.decoded.pixels for one in pictures.pictures))
        yield from _drawn(found)
        yield Summary(text=_told(pictures.pictures, found))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, made small."""
        return drawn(project, self.dataset, violations, self.max_pixels)


def _judged(picture: DecodedPicture) -> Iterator[Violation]:
    called_a_picture = picture.path.rpartition(".")[2].lower() in _DECODED
    for fault in picture.decoded.faults:
        yield Violation(
            subject=picture.path,
            kind=fault.kind,
            message=fault.what,
            severity=_WEIGHTS.get(fault.kind, Severity.ERROR),
            expected=fault.expected,
            found=fault.found,
            unseen=fault.kind == "unsupported" or (fault.kind == "unknown" and not called_a_picture),
        )


def _drawn(found: Sequence[Violation]) -> Iterator[Exhibit]:
    kinds = sorted(Counter(one.kind for one in found).items(), key=lambda one: (-one[1], one[0]))
    if kinds:
        bars = {"labels": [kind for kind, _ in kinds], "values": [count for _, count in kinds]}
        yield Exhibit(type="bars", title="Pictures by what is wrong with them", data=bars)


def _told(pictures: Sequence[DecodedPicture], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    held = f"{len(pictures):,} picture{'' if len(pictures) == 1 else 's'}"
    return f"{wrong:,} of {held} cannot be decoded whole" if wrong else f"{held} decoded whole"
