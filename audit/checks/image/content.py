"""`image.content`: pictures show something, and one dataset's look like another's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from audit.checks._offenders import pictures as drawn
from audit.checks._signal_drift import Allowed, Sides, drift, judged_signals, left_out, told
from audit.checks.image._bounds import Bounds, Departure, Measure, beyond, blank
from audit.checks.image._content_shown import spans
from audit.checks.image._decoding import decoded
from audit.facts.signals.image_content import ImageDrift
from audit.records.check import Check, Request
from audit.records.dataset import Dataset, DatasetName
from audit.records.decoded import DecodedPicture, DecodedPictures
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.image_content import ContentsApart
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.signals import BLIND
from audit.records.words import Kind, Role, Severity

Share = Annotated[float, Meta(ge=0, le=1)]


class Content(Check):
    """Pictures are not blank, are within bounds of brightness and the like, and look alike in training and validation.

    Decodes each picture once, for this check and `image.integrity`, and measures its first frame
    as a loader sees it that takes no heed of transparency:

    | measure | what it is |
    | --- | --- |
    | `width`, `height`, `aspect` | pixels, upright as EXIF's orientation has it; width over height |
    | `brightness`, `contrast` | mean and standard deviation of luma (0 to 255), over squares of a 32nd of a side |
    | `red_green`, `blue_yellow` | mean of red less green, and of blue less the mean of both |
    | `saturation` | mean of the largest less the smallest of red, green and blue |
    | `sharpness` | variance of the Laplacian of luma |
    | `noise` | standard deviation of the noise, by Immerkaer's mask and a median, in levels |
    | `entropy`, `commonest` | of luma: entropy in bits, share of the commonest level |
    | `blockiness` | how much steps between pixels stand out at every eighth: what JPEG leaves, even in a PNG |
    | `quality` | JPEG's quality by its quantisation tables; other formats have none |

    Single pixels are looked at in four bands of 10 rows, all of a picture in squares. For
    `sharpness`, a picture whose shorter side is 1024 pixels or more is first reduced, by a whole
    number, until that is 512 to 1023, so that it means the same for all large sizes.

    Kinds: `blank`, where all pixels are equal; `near-blank`, a warning, where more than
    `max_flat_share` of all pixels lie within 8 of the 256 levels; and the name of a measure
    that is out of its `bounds`. A picture that is known to be cut, corrupt or empty fails by the
    word of `image.integrity`, which tells more; one that nothing here understands or could measure
    makes the rule `error`. Of the pictures to compare with, such faulty ones are left out (`left-out`, a warning).

    The validation set (role `val`) is held against the training set (role `train`; several of
    them together), any dataset against a `reference` that is named. A measure has drifted
    (`drift`) as a number does in `table.drift`: the Kolmogorov-Smirnov distance is above
    `tolerance`, **and** chance does not explain it: its p-value, adjusted by Holm's procedure
    over all measures, is below `false_alarms`. Fewer than 30 pictures, or so few that a distance
    of twice the tolerance could not be told, is `insufficient`, a warning: about 300 and 300
    tell one of 0.2.

    Chance is reckoned for pictures that are independent. Frames of one video, or crops of one
    photograph, are not: where whole videos were dealt to one side, a difference between videos
    shows as drift; that is then what it is.

    ## Why it matters

    A validation set that was resized by another library, saved at another quality or cropped
    measures another task than training teaches. Nothing fails: accuracy is some points lower,
    and a better model is looked for where a better pipeline is needed. Blank pictures are
    failed renderings and black frames, with a label each.

    ## Example

    ```yaml
    datasets:
      train: {path: "data/train/**/*.jpg", role: train}
      val: {path: "data/val/**/*.jpg", role: val}
    rules:
      - id: pictures-look-alike
        check: image.content
        with:
          bounds: {brightness: {min: 20, max: 235}, sharpness: {min: 20}}
          tolerances: {width: 1, height: 1}
    ```

    ## How to fix

    Look at the distributions of the measures that drifted. `blockiness` and `quality` speak of
    compression, `sharpness` and `noise` of resizing, focus and sensors, `width` and `aspect` of
    cropping, `red_green` of white balance: make both datasets by the same pipeline from the
    sources. If the difference does no harm, say so with `tolerances`. Blank pictures are made
    again or left out, with their labels; where they are meant, as empty masks are, `blank: false`.
    """

    accepts = frozenset({Kind.IMAGE})

    dataset: DatasetName
    reference: Annotated[
        DatasetName | None,
        Meta(description="The dataset to compare with; left out, role `val` is compared with role `train`."),
    ] = None
    compare: Annotated[bool, Meta(description="Whether to compare with another dataset at all.")] = True
    blank: Annotated[bool, Meta(description="Whether a blank picture is a fault.")] = True
    max_flat_share: Annotated[
        Annotated[float, Meta(ge=0.97, le=1)] | None,
        Meta(description="The largest share of pixels within 8 levels; null allows any."),
    ] = 0.99
    bounds: Annotated[
        dict[Measure, Bounds], Meta(description="The least (`min`) and the most (`max`) of measures, by name.")
    ] = {}
    tolerance: Annotated[Share, Meta(description="The distance between distributions that is let pass.")] = 0.1
    tolerances: Annotated[
        dict[str, Share], Meta(description="That of single measures, by name or pattern; 1 lets any pass.")
    ] = {}
    false_alarms: Annotated[
        float, Meta(gt=0, lt=1, description="How often a rule may fail though nothing has drifted.")
    ] = 0.01
    max_pixels: Annotated[
        int, Meta(ge=1, description="The most pixels (width times height) that a picture may declare.")
    ] = 178_956_970

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The pictures, decoded and measured; and how they stand to those of the reference."""
        wanted: dict[str, Request[Any]] = {"pictures": decoded(project, self.dataset, self.max_pixels, measured=True)}
        if references := self._references(project):
            wanted["apart"] = ImageDrift(
                root=project.root,
                references=references,
                current=project.dataset(self.dataset),
                max_pixels=self.max_pixels,
                false_alarms=self.false_alarms,
            )
        return wanted

    def _references(self, project: Project) -> tuple[Dataset, ...]:
        if not self.compare or self.reference == self.dataset:
            return ()
        if self.reference is not None:
            return (project.dataset(self.reference),)
        if project.dataset(self.dataset).role is not Role.VAL:
            return ()
        return tuple(one for one in project.role(Role.TRAIN) if one.kind is Kind.IMAGE)

    def evaluate(self, pictures: DecodedPictures, apart: ContentsApart | None = None) -> Iterator[Finding]:
        """What is wrong with single pictures, then with all of them."""
        found = [violation for one in pictures.pictures for violation in self._judged(one)]
        yield from (one.violation() for one in pictures.unseen)
        yield from found
        measured = [one.decoded.measures for one in pictures.pictures if one.decoded.measures]
        yield Figure(name="pictures", value=len(measured))
        clause = ""
        if apart is not None:
            columns = judged_signals(apart.drift, Allowed(self.tolerance, self.tolerances, self.false_alarms))
            sides = Sides(", ".join(apart.names), self.dataset, "picture")
            yield from (one.violation() for one in apart.unseen)
            yield from left_out(apart.faulty)
            yield from drift(apart.drift, columns, sides)
            yield Figure(name="pictures_reference", value=apart.pictures)
            clause = f"; {told(columns, sides)}"
        yield from spans(measured)
        yield Summary(text=_told(pictures.pictures, found) + clause)

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, on a contact sheet."""
        return drawn(project, self.dataset, violations)

    def _judged(self, picture: DecodedPicture) -> Iterator[Violation]:
        for one in self._departures(picture):
            yield Violation(
                subject=picture.path,
                kind=one.kind,
                message=one.message,
                severity=one.severity,
                expected=one.expected,
                found=one.found,
                unseen=one.unseen,
            )

    def _departures(self, picture: DecodedPicture) -> Iterator[Departure]:
        said = picture.decoded
        if said.measures is None:
            if said.unmeasured:
                yield Departure("unmeasured", f"cannot be measured: {said.unmeasured}", unseen=True)
            for fault in said.faults:
                yield Departure(fault.kind, f"cannot be measured: it {fault.what}", unseen=fault.kind in BLIND)
            return
        if self.blank:
            yield from blank(said.measures, self.max_flat_share)
        yield from beyond(said.measures, self.bounds)


def _told(pictures: Sequence[DecodedPicture], found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is not Severity.NOTE})
    held = f"{len(pictures):,} picture{'' if len(pictures) == 1 else 's'}"
    return f"{wrong:,} of {held} should be looked at" if wrong else f"{held} show something"
