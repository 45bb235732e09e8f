"""What annotation files say of a picture, held against its header: its size, and the boxes in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.records.findings import Violation
from audit.records.image import Picture
from audit.records.labels import AnnotatedPicture, AnnotationFile, Box, Unit
from audit.records.words import Severity

FEW = 3

SLACK_PX = 0.5
"""How far a box may stick out: numbers are rounded, and of VOC's corners nobody knows whether they count from 0."""


class Entry(NamedTuple):
    """What one annotation file says of a picture."""

    file: AnnotationFile
    picture: AnnotatedPicture


class Size(NamedTuple):
    """Sides in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def by_picture(files: Iterable[AnnotationFile]) -> Mapping[str, Sequence[Entry]]:
    """What is said of each picture whose path is safe, by it."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for file in files:
        for picture in file.said.pictures:
            if not picture.unsafe:
                found[picture.path].append(Entry(file, picture))
    return found


def held(picture: Picture, entries: Sequence[Entry], *, upright: bool) -> Iterator[Violation]:
    """Tell sizes that disagree, and boxes that are not in the picture; one violation for each kind."""
    if not any(one.picture.boxes or one.picture.width is not None for one in entries):
        return
    header = picture.header
    if header.format is None:
        for fault in header.faults:
            unseen = fault.kind in {"unknown", "unsupported"}
            yield Violation(subject=picture.path, kind=fault.kind, message=fault.what, unseen=unseen)
        return
    size = Size(*header.upright) if upright else Size(header.width, header.height)
    yield from _sizes(picture, entries, size)
    yield from _boxes(picture.path, "outside", list(_outside(entries, size)), f"outside the picture of {size}")


def sound(path: str, entries: Sequence[Entry]) -> Iterator[Violation]:
    """Tell boxes that are wrong whatever the picture is: those without an area, and those that stand twice."""
    yield from _boxes(path, "degenerate", list(_flat(entries)), "without an area")
    yield from _boxes(path, "duplicate", list(_duplicates(entries)), "the same as another", Severity.WARNING)


def _sizes(picture: Picture, entries: Sequence[Entry], size: Size) -> Iterator[Violation]:
    """Tell the first size that is said and is another."""
    for file, said in entries:
        if said.width is not None and said.height is not None and (said.width, said.height) != size:
            other = Size(said.width, said.height)
            message = f"{file.path} says {other}, but it is {_measured(picture, size)}"
            yield Violation(subject=picture.path, kind="size", message=message, expected=str(other), found=str(size))
            return


def _measured(picture: Picture, size: Size) -> str:
    """The size, and for one that is turned both."""
    header = picture.header
    stored, upright = Size(header.width, header.height), Size(*header.upright)
    if stored == upright:
        return str(size)
    return f"{stored} as stored and {upright} upright (EXIF orientation {header.orientation})"


def _outside(entries: Sequence[Entry], size: Size) -> Iterator[tuple[Entry, Box]]:
    """Boxes that stick out of the picture; the loop over every box, so it does little."""
    for one in entries:
        wide, high = size if one.file.said.unit is Unit.SHARES else (1, 1)
        left, top = -SLACK_PX / wide, -SLACK_PX / high
        right, bottom = size.width / wide - left, size.height / high - top
        for box in one.picture.boxes:
            if box.x < left or box.y < top or box.x + box.w > right or box.y + box.h > bottom:
                yield one, box


def _flat(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Box]]:
    """Boxes without a pixel: where the last one belongs to a box, one of width 0 has one."""
    for one in entries:
        none = [box for box in one.picture.boxes if box.w <= 0 or box.h <= 0]
        yield from ((one, box) for box in none if not one.file.said.inclusive or box.w < 0 or box.h < 0)


def _duplicates(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Box]]:
    """Boxes with the class and corners of one before them in the same file."""
    for one in entries:
        said = [(box.label, box.x, box.y, box.w, box.h) for box in one.picture.boxes]
        if len(set(said)) < len(said):
            seen = set()
            for box, each in zip(one.picture.boxes, said, strict=True):
                if each in seen:
                    yield one, box
                seen.add(each)


def _boxes(
    path: str, kind: str, found: Sequence[tuple[Entry, Box]], what: str, severity: Severity = Severity.ERROR
) -> Iterator[Violation]:
    if found:
        count = f"{len(found):,} box{'' if len(found) == 1 else 'es'} {what}"
        some = ", ".join(_box(one, box) for one, box in found[:FEW])
        message = f"{count} ({found[0][0].file.path}: {some}{', ...' if len(found) > FEW else ''})"
        yield Violation(subject=path, kind=kind, message=message, severity=severity, found=len(found))


def _box(entry: Entry, box: Box) -> str:
    where = str(box.where) if isinstance(box.where, str) else f"{entry.file.said.noun} {box.where}"
    return f"{where}: {box.w:.6g}x{box.h:.6g} at {box.x:.6g},{box.y:.6g}"
