"""`image.format`: pictures have the size, the mode and the depth that was declared, and are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from audit.checks._offenders import pictures as contact_sheet
from audit.checks.image._drawn import drawn, figures
from audit.checks.image._faults import faults, several, summed, unread, violation
from audit.checks.image._names import named
from audit.checks.image._sides import Bounds, outside, stored
from audit.checks.image._traits import (
    PROFILES,
    Common,
    Departure,
    Told,
    Value,
    declared,
    minority,
    most_common,
    told,
    unlike,
    values,
)
from audit.facts.signals.image_headers import ImageHeaders
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.image import Picture, Pictures
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

Count = Annotated[int, Meta(ge=1)]
Counts = Count | tuple[Count, ...] | None
Words = str | tuple[str, ...] | None
Turned = Annotated[int, Meta(ge=1, le=8)]
Shared = Literal["mode", "bits", "format", "size", "profile"]
"""What `uniform` may name."""


class _Ought(NamedTuple):
    """What is allowed by kind, what most pictures have, what another dataset has by kind, and the bounds of sides."""

    wanted: Mapping[str, tuple[Value, ...]]
    common: Sequence[Common]
    known: Mapping[str, frozenset[Value]]
    bounds: tuple[Bounds, Bounds]


class Format(Check):
    """Pictures have the declared size, mode and depth, and what is not declared of mode and depth is alike.

    Reads the header of each picture, and nothing else of it: JPEG (of several pictures in one
    file, MPO, the first), PNG and APNG, GIF, BMP, WebP, TIFF and BigTIFF (the first page), PBM,
    PGM, PPM, JPEG 2000, AVIF, HEIF and QOI, by what the file holds, whatever its name says. A
    picture of another format is not passed over in silence: the rule is then `error`.

    Width and height are those that people see: a picture with EXIF orientation 5 to 8 is stored
    with its sides swapped (`as_stored: true` judges the stored ones). An orientation that only
    XMP or a text chunk of PNG tells is not read. The mode is as stored, spelled
    as Pillow does: a palette is `P` and not grey, four colours of print are `CMYK` and not
    `RGBA`, 16 bits of grey are `I;16`. A grey or colour PNG of 16 bits a channel keeps its mode
    `LA`, `RGB` or `RGBA`; its bits tell it. A TIFF with more channels than Pillow has a word for is
    `multiband`.

    What is declared must hold for each picture. Mode and depth, where they are not declared,
    must be alike in all pictures, unless `uniform: false`: those with another mode than most
    fail, those with another depth warn. `uniform: [mode, size]` names what must be alike instead.
    `same_as` holds the pictures against another dataset: a mode that none of its pictures has
    fails; a depth, a format, or a size other than the one that all of it has warns.

    Kinds besides those of the parameters: `minority` and `unlike` (see above), `orientation` (a
    warning, unless orientations are declared), `suffix` (a warning: the name says JPEG, the content
    is PNG), `frames` (a note: more than one), `bomb` (more pixels than `max_pixels`), `empty`,
    `pointer` (of Git LFS), `truncated` and `header` (cut or damaged there), `unknown`.

    ## Why it matters

    A loader that ignores EXIF sees a portrait lying on its side, and boxes end up outside of it.
    A few CMYK files among RGB crash a training run on its third day, or are read as colours
    with alpha; a palette's indices are read as brightness; pixels of 16 bits are clipped. Where no
    one looks, the model is merely worse.

    ## Example

    ```yaml
    datasets:
      train: {path: "data/train/**/*.jpg", role: train}
      val: {path: "data/val/**/*.jpg", role: val}
    rules:
      - id: pictures-rgb
        check: image.format
        with: {dataset: train, mode: RGB, min_width: 224, min_height: 224, orientation: 1}
      - id: val-stored-like-train
        check: image.format
        with: {dataset: val, same_as: train}
    ```

    ## How to fix

    Convert the picture, and look at it: `Image.open(p).convert("RGB")` for a palette or alpha, by its
    colour profile (`ImageCms.profileToProfile`) for CMYK. Turn it upright for good with
    `ImageOps.exif_transpose`, annotations with it, or `jpegtran` without loss. If several modes or
    orientations are meant, declare them all, or say `uniform: false`.
    """

    accepts = frozenset({Kind.IMAGE})

    dataset: DatasetName
    width: Annotated[Counts, Meta(description="The width, or those allowed, in pixels.")] = None
    height: Annotated[Counts, Meta(description="The height, or those allowed, in pixels.")] = None
    min_width: Annotated[Count | None, Meta(description="The least width, in pixels.")] = None
    min_height: Annotated[Count | None, Meta(description="The least height, in pixels.")] = None
    max_width: Annotated[Count | None, Meta(description="The largest width, in pixels.")] = None
    max_height: Annotated[Count | None, Meta(description="The largest height, in pixels.")] = None
    as_stored: Annotated[
        bool, Meta(description="Width and height are those stored, not those seen once EXIF orientation is applied.")
    ] = False
    max_pixels: Annotated[Count, Meta(description="The most pixels (width times height) that a picture may have.")] = (
        178_956_970
    )
    mode: Annotated[
        Words,
        Meta(description="The mode, or those allowed, as Pillow spells them: 1, L, LA, P, RGB, RGBA, CMYK, I;16, F."),
    ] = None
    bits: Annotated[Counts, Meta(description="The bits of one channel, or those allowed.")] = None
    channels: Annotated[Counts, Meta(description="The number of channels as stored, or those allowed.")] = None
    format: Annotated[
        Words,
        Meta(
            description="The format of the content, or those allowed: JPEG, PNG, GIF, BMP, WEBP, TIFF, PPM, JPEG2000, "
            "AVIF, HEIF, QOI."
        ),
    ] = None
    orientation: Annotated[
        Turned | tuple[Turned, ...] | None, Meta(description="The EXIF orientation, or those allowed; 1 is upright.")
    ] = None
    frames: Annotated[Counts, Meta(description="The number of frames or pages, or those allowed.")] = None
    profile: Annotated[
        bool | None, Meta(description="Each picture has a colour profile (true), or none has one (false).")
    ] = None
    suffix: Annotated[bool, Meta(description="The suffix of the name agrees with the content.")] = True
    uniform: Annotated[
        bool | tuple[Shared, ...],
        Meta(description="What is alike in all pictures, of what is not declared: true for mode and bits, or a list."),
    ] = True
    same_as: Annotated[
        DatasetName | None, Meta(description="The dataset whose pictures have each mode, depth and format found here.")
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Pictures]]:
        """The headers of the pictures, and those of the dataset they are held against."""
        names = {"pictures": self.dataset} | ({"other": self.same_as} if self.same_as else {})
        return {fact: ImageHeaders(root=project.root, dataset=project.dataset(name)) for fact, name in names.items()}

    def evaluate(self, pictures: Pictures, other: Pictures | None = None) -> Iterator[Finding]:
        """All that is wrong with a picture is told of that picture."""
        headers = told(pictures.pictures, as_stored=self.as_stored)
        wanted = self._wanted()
        ought = _Ought(
            wanted=wanted,
            common=most_common(headers, self._alike() - wanted.keys()),
            known={} if other is None or any(unread(other)) else values(other.pictures),
            bounds=self._bounds(),
        )
        found = [violation for one in pictures.pictures for violation in self._judged(one, ought)]
        yield from (one.violation() for one in pictures.unseen)
        yield from unread(other)
        yield from found
        yield Figure(name="pictures", value=len(pictures.pictures))
        yield from figures(headers)
        yield from drawn(headers)
        yield Summary(text=summed(pictures.pictures, found, self._upright()))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, made small."""
        return contact_sheet(project, self.dataset, violations)

    def _alike(self) -> frozenset[str]:
        """The kinds of what must be alike."""
        if isinstance(self.uniform, bool):
            return frozenset({"mode", "bits"} if self.uniform else ())
        return frozenset(self.uniform)

    def _wanted(self) -> dict[str, tuple[Value, ...]]:
        """The values allowed, by kind."""
        said = {
            "mode": self.mode,
            "bits": self.bits,
            "channels": self.channels,
            "format": self.format,
            "frames": self.frames,
            "profile": None if self.profile is None else PROFILES[self.profile],
        }
        return {kind: several(value) for kind, value in said.items() if value is not None}

    def _judged(self, one: Picture, ought: _Ought) -> Iterator[Violation]:
        yield from faults(one)
        for header in told((one,), as_stored=self.as_stored):
            for each in (
                *declared(ought.wanted, header),
                *minority(ought.common, header),
                *unlike(ought.known, self.same_as or "", header),
                *outside(ought.bounds, header),
                *self._turned(header),
                *self._many(header),
                *self._called(one.path, header),
            ):
                yield violation(one.path, each)

    def _bounds(self) -> tuple[Bounds, Bounds]:
        return (
            Bounds("width", several(self.width), self.min_width, self.max_width),
            Bounds("height", several(self.height), self.min_height, self.max_height),
        )

    def _upright(self) -> str:
        """The orientations allowed, in words."""
        return " or ".join(map(str, several(self.orientation))) or "1"

    def _turned(self, one: Told) -> Iterator[Departure]:
        found = one.header.orientation
        if found not in (several(self.orientation) or (1,)):
            weight = Severity.ERROR if self.orientation else Severity.WARNING
            message = f"EXIF orientation {found}, not {self._upright()}: {stored(one)}"
            yield Departure("orientation", message, weight, self._upright(), found)

    def _many(self, one: Told) -> Iterator[Departure]:
        pixels = one.header.width * one.header.height
        if pixels > self.max_pixels:
            message = f"declares {pixels:,} pixels, more than {self.max_pixels:,} (max_pixels)"
            yield Departure("bomb", message, Severity.ERROR, self.max_pixels, pixels)
        if one.header.frames > 1 and self.frames is None:
            message = f"holds {one.header.frames:,} frames or pages, of which most loaders read the first"
            yield Departure("frames", message, Severity.NOTE, 1, one.header.frames)

    def _called(self, path: str, one: Told) -> Iterator[Departure]:
        name = named(path)
        if self.suffix and name not in {"", one.format.name}:
            message = f"is {one.format.name}, though its name says {name}"
            yield Departure("suffix", message, Severity.WARNING, name, one.format.name)
