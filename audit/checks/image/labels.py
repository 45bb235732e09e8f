"""`image.labels`: annotation files agree with the pictures that they speak of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from audit.checks import _offenders
from audit.checks.image._annotated import by_name, classes, contradictions, nameless, shares, twice
from audit.checks.image._boxes import Entry, by_picture, held, sound
from audit.facts.signals.image_headers import ImageHeaders
from audit.facts.signals.labels_image import ImageLabels
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.image import Picture, Pictures
from audit.records.labels import AnnotationFile, AnnotationFiles, Weight
from audit.records.project import Project
from audit.records.report import ReportedViolation
from audit.records.words import Kind, Severity

Column = Literal["path", "width", "height", "label", "xmin", "ymin", "xmax", "ymax"]
Path = Annotated[str, Meta(min_length=1)]

_BARS = 20


class Labels(Check):
    """Annotation files agree with the pictures: each is there, of the size that is said, with all boxes inside.

    Reads annotations and the headers of the pictures; no pixel is decoded. Annotations are

    - COCO's JSON;
    - Pascal VOC's XML, a file for each picture;
    - YOLO's text files, a file for each picture: beside it, in `labels` where it is in `images`, or of its name;
    - CSV with headings (`filename`, `class`, `xmin`, `ymin`, `xmax`, `ymax`, perhaps `width`, `height`), in pixels,
      or, where most of the boxes lie within 1, in shares of the sides.

    A file that is not understood makes the rule `error`. Listed paths are relative to the annotation file, to the
    project or to the dataset's folder: to whichever most of them fit; `root` says it. Absolute paths, and those that
    lead out of the folder, are violations and are not opened.

    Kinds: `missing`, `elsewhere` (there, but not in the dataset), `unsafe-path`; `unlabelled`, a picture that no
    annotation names, and `empty`, one that is named without a box; `twice`; `size`, another than the picture's;
    `outside`, boxes that stick out by more than half a pixel; `degenerate`, boxes without an area; `duplicate`, a
    warning, boxes that stand twice; `class`, classes without a name; `unit`, shares where pixels should be;
    `id-twice`, `no-picture` and `size-differs`, where a file contradicts itself; `normalisation`, a warning, a name
    in another Unicode normal form. Names of classes are only missed where there is a list of them.

    A picture that EXIF turns has two sizes. Loaders that turn it need labels of the `upright` one, others those of
    the one as `stored`; `sides` says which the labels are meant for.

    ## Why it matters

    Labels made for pictures of another size, or for the same ones turned, put every box in the wrong place, and a
    loss goes down all the same. A box outside its picture is clipped to nothing or stops the training; a class
    without a name is another class for whoever reads the names from a list.

    ## Example

    ```yaml
    datasets:
      pictures: {path: "data/images/**/*.jpg"}
    rules:
      - id: coco-fits
        check: image.labels
        with: {dataset: pictures, annotations: data/instances.json}
      - id: yolo-fits
        check: image.labels
        with: {dataset: pictures, annotations: data/labels, form: yolo, classes: data/data.yaml}
    ```

    ## How to fix

    Get missing pictures from where the others came from. Where sizes disagree, find out whether pictures were
    scaled or turned after they were labelled: scale and turn the boxes with them, or go back to the pictures that
    were labelled. Clip boxes to the picture, and take those without an area out, where the labels are made.
    """

    accepts = frozenset({Kind.IMAGE})

    dataset: DatasetName
    annotations: Annotated[
        Path | tuple[Path, ...],
        Meta(description="The annotation files: paths, globs or folders, relative to the project."),
    ]
    form: Annotated[
        Literal["coco", "voc", "yolo", "csv"] | None,
        Meta(description="The form of all files; left out, it follows from .json, .xml, .txt and .csv."),
    ] = None
    classes: Annotated[
        Path | None,
        Meta(
            description="The names of the classes: a list, a name a line, or YOLO's data.yaml; else classes.txt among "
            "the annotations. COCO has its own."
        ),
    ] = None
    sides: Annotated[
        Literal["upright", "stored"], Meta(description="The sizes that the labels are meant for, where EXIF turns.")
    ] = "upright"
    root: Annotated[
        str | None, Meta(description="The folder that listed paths are relative to, itself relative to the project.")
    ] = None
    columns: Annotated[dict[Column, Path], Meta(description="The headings of CSV that are called otherwise.")] = {}
    unlabelled: Annotated[Weight, Meta(description="How much a picture weighs that no annotation names.")] = "warning"
    empty: Annotated[Weight, Meta(description="How much a picture weighs that is named without a box.")] = "note"

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The headers of the pictures, and the annotations."""
        dataset = project.dataset(self.dataset)
        labels = ImageLabels(
            root=project.root,
            dataset=dataset,
            paths=(self.annotations,) if isinstance(self.annotations, str) else self.annotations,
            form=self.form,
            classes=self.classes,
            base=self.root,
            columns=tuple(sorted(self.columns.items())),
        )
        return {"pictures": ImageHeaders(root=project.root, dataset=dataset), "labels": labels}

    def evaluate(self, pictures: Pictures, labels: AnnotationFiles) -> Iterator[Finding]:
        """One violation for each picture and kind, and for each annotation file and kind."""
        said = by_picture(labels.files)
        found = [one.violation() for one in (*pictures.unseen, *labels.unseen)]
        found += [one.violation() for one in labels.astray]
        for picture in pictures.pictures:
            found += held(picture, said.get(picture.path, ()), upright=self.sides == "upright")
        for path, entries in said.items():
            found += (*sound(path, entries), *twice(path, entries))
        counted = [(file, classes(file)) for file in labels.files]
        for file, counts in counted:
            found += (*nameless(file, counts), *shares(file), *contradictions(file))
        found += self._without(pictures.pictures, labels, said)
        yield from found
        yield from _figures(pictures.pictures, labels, said)
        yield from _drawn(by_name(counted))
        yield Summary(text=_summary(pictures.pictures, labels.files, found))

    def illustrates(self, project: Project, violations: Sequence[ReportedViolation]) -> Request[tuple[Exhibit, ...]]:
        """The first offenders, made small."""
        return _offenders.pictures(project, self.dataset, violations)

    def _without(
        self, pictures: Sequence[Picture], labels: AnnotationFiles, said: Mapping[str, Sequence[Entry]]
    ) -> Iterator[Violation]:
        """Tell pictures without an annotation, and those whose annotations hold no box."""
        judged = labels.whole and any(picture.path in said for picture in pictures)
        for picture in pictures:
            entries = said.get(picture.path)
            if entries is None and judged and self.unlabelled != "ok":
                message, severity = "is in the dataset, but no annotation names it", Severity(self.unlabelled)
                yield Violation(subject=picture.path, kind="unlabelled", message=message, severity=severity)
            if entries and self.empty != "ok" and not any(one.picture.boxes or one.picture.others for one in entries):
                message, severity = f"has no box ({entries[0].file.path})", Severity(self.empty)
                yield Violation(subject=picture.path, kind="empty", message=message, severity=severity)


def _figures(
    pictures: Sequence[Picture], labels: AnnotationFiles, said: Mapping[str, Sequence[Entry]]
) -> Iterator[Figure]:
    yield Figure(name="annotation_files", value=len(labels.files))
    yield Figure(name="pictures", value=len(pictures))
    yield Figure(name="pictures_listed", value=sum(picture.path in said for picture in pictures))
    yield Figure(name="boxes", value=_boxes(labels.files))
    yield Figure(name="paths_relative_to", value=labels.base)


def _drawn(counts: Mapping[str, int]) -> Iterator[Exhibit]:
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_BARS]
    if most:
        bars = {"labels": [name for name, _ in most], "values": [count for _, count in most]}
        yield Exhibit(type="bars", title="Boxes by class", data=bars)


def _boxes(files: Sequence[AnnotationFile]) -> int:
    return sum(len(picture.boxes) for file in files for picture in file.said.pictures)


def _summary(pictures: Sequence[Picture], files: Sequence[AnnotationFile], found: Sequence[Violation]) -> str:
    boxes, count = _boxes(files), len(pictures)
    held = f"{boxes:,} box{'' if boxes == 1 else 'es'} on {count:,} picture{'' if count == 1 else 's'}"
    kinds = sorted(Counter(one.kind for one in found).items(), key=lambda one: (-one[1], one[0]))
    return f"{held}: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}" if kinds else f"{held} agree"
