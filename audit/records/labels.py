"""Labels: what annotation files say of pictures, and manifests of clips."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple

from audit.records.base import Record
from audit.records.findings import Violation
from audit.records.obstacle import Obstacle
from audit.records.words import Severity

Weight = Literal["error", "warning", "note", "ok"]
"""How much something weighs that may well be meant; `ok` is nothing."""

Label = int | str
"""A class, by its id where the form gives ids, else by its name."""


class Unit(StrEnum):
    """In what boxes are measured: pixels, or shares of the picture's sides (0 to 1)."""

    PIXELS = "pixels"
    SHARES = "shares"


class Box(Record, gc=False):
    """A labelled rectangle: its left upper corner, width and height. `where` is its id or number in the file.

    Width and height are as said, negative ones too; None as `label` is a box without a class.
    """

    label: Label | None
    x: float
    y: float
    w: float
    h: float
    where: int | str


class AnnotatedPicture(Record):
    """A picture as an annotation file speaks of it.

    `path` is as listed; where `unsafe` says why, it must not be opened. `width` and `height` are in pixels.
    `others` counts what is said of the picture without a box: captions, classes of the whole, masks alone.
    """

    path: str
    unsafe: str = ""
    width: int | None = None
    height: int | None = None
    boxes: tuple[Box, ...] = ()
    others: int = 0


class Remark(Record, gc=False):
    """What an annotation file contradicts itself in. `where` is the place in it; `what` completes "it ..."."""

    kind: str
    where: str
    what: str


class Annotations(Record):
    """The pictures of annotation files in their order. `noun` is what `where` of a box counts.

    `classes` are the names by id; None where the form names classes directly. `inclusive`: a box's last pixel
    belongs to it, so that a width of 0 is one pixel.
    """

    pictures: tuple[AnnotatedPicture, ...]
    unit: Unit
    noun: str
    inclusive: bool = False
    classes: Mapping[int | str, str] | None = None
    remarks: tuple[Remark, ...] = ()


class Utterance(Record, gc=False):
    """A stretch of a clip and what is said in it. Times are in seconds; `where` is its line, from 1 on.

    Where `unsafe` says why, `path` must not be opened. None is what the manifest does not tell: for `offset_s` the
    beginning of the clip, for `duration_s` all the rest of it. `name` is its id, where the manifest gives one.
    """

    path: str
    where: int
    unsafe: str = ""
    duration_s: float | None = None
    offset_s: float | None = None
    text: str | None = None
    sample_rate_hz: float | None = None
    name: str = ""


class Astray(NamedTuple):
    """A path that an annotation file lists and that leads to no file of the dataset, or not as it is written.

    `what` completes "it ..."; `unseen` if nobody can tell what is there.
    """

    path: str
    kind: str
    what: str
    severity: Severity = Severity.ERROR
    unseen: bool = False

    def violation(self) -> Violation:
        """It, as a check tells it."""
        return Violation(
            subject=self.path, kind=self.kind, message=self.what, severity=self.severity, unseen=self.unseen
        )


class AnnotationFile(Record):
    """An annotation file at `path`; where they are safe, paths of pictures are relative to the project.

    `single` is whether a file of its form speaks of one picture alone.
    """

    path: str
    said: Annotations
    single: bool


class AnnotationFiles(Record):
    """The annotation files of a dataset's pictures, and which of what they list leads nowhere.

    `base` says in words what the listed paths are relative to. `whole` is whether all files were understood and
    all paths safe: only then can it be told which pictures have no annotation.
    """

    files: tuple[AnnotationFile, ...]
    base: str
    astray: tuple[Astray, ...] = ()
    unseen: tuple[Obstacle, ...] = ()
    whole: bool = True


class Manifest(Record):
    """A file of utterances at `path`; where they are safe, their paths are relative to the project."""

    path: str
    utterances: tuple[Utterance, ...]


class Manifests(Record):
    """The manifests of a dataset, and which of what they list leads nowhere.

    `base` says in words what the listed paths are relative to. `whole` is whether all lines were understood and
    all paths safe: only then can it be told which clips no line names.
    """

    manifests: tuple[Manifest, ...]
    base: str
    astray: tuple[Astray, ...] = ()
    unseen: tuple[Obstacle, ...] = ()
    whole: bool = True
