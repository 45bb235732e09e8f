"""COCO's JSON: pictures, annotations and categories in one file.

Source: the data format of Common Objects in Context, https://cocodataset.org/#format-data. Boxes are
`[x, y, width, height]` in pixels, counted from 0; ids are unique each among its kind. As in its own
library (pycocotools) the last of two pictures with one id is the one that annotations belong to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import msgspec

from audit.errors import FormatError
from audit.formats.annotations.values import FARTHEST, MAX_ROWS, bounded
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import AnnotatedPicture, Annotations, Box, Remark, Unit

LIMIT = 2**29
"""Bytes of one file: COCO's own largest (instances of train2017) has 449 million."""

_WHAT = 200  # characters of a message
_MOST = msgspec.Meta(max_length=MAX_ROWS)

_Side = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Image(msgspec.Struct, frozen=True, gc=False):
    id: _Id
    file_name: str
    width: _Side | None = None
    height: _Side | None = None


_Number = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


class _Bbox(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """An empty list stands for no box in files of other tools."""

    x: _Number | None = None
    y: _Number | None = None
    w: _Number | None = None
    h: _Number | None = None


class _Annotation(msgspec.Struct, frozen=True, gc=False):
    image_id: _Id
    id: _Id | None = None
    category_id: _Id | None = None
    bbox: _Bbox | None = None


class _Category(msgspec.Struct, frozen=True, gc=False):
    id: _Id
    name: str


class _File(msgspec.Struct, frozen=True):
    images: Annotated[list[_Image], _MOST]
    annotations: Annotated[list[_Annotation], _MOST]
    categories: Annotated[list[_Category], _MOST] | None = None


class _Sorted:
    """Boxes by the id of their picture, and how much is said without one."""

    def __init__(self) -> None:
        self.boxes: defaultdict[int | str, list[Box]] = defaultdict(list)
        self.others: defaultdict[int | str, int] = defaultdict(int)

    def add(self, annotation: _Annotation, place: str) -> None:
        box = _box(annotation, place)
        if box is None:
            self.others[annotation.image_id] += 1
        else:
            self.boxes[annotation.image_id].append(box)


def parse(data: bytes, name: str) -> Annotations:
    """Read a file; `FormatError` for what is no COCO file of pictures and annotations.

    Ids that point nowhere or stand twice are remarks. A category that is not there is seen by a box whose
    label is not among `classes`; they are None where the file has no list of categories.
    """
    file = _decoded(data, name)
    known, found = {image.id: at for at, image in enumerate(file.images)}, _Sorted()
    for at, annotation in enumerate(file.annotations):
        found.add(annotation, f"{name}: annotations[{at}]")
    return Annotations(
        pictures=tuple(_picture(image, found, last=known[image.id] == at) for at, image in enumerate(file.images)),
        unit=Unit.PIXELS,
        noun="annotation",
        classes=None if file.categories is None else {each.id: each.name for each in file.categories},
        remarks=(*_twice(file), *_nowhere(file.annotations, known)),
    )


def _decoded(data: bytes, name: str) -> _File:
    content = bounded(data, name, LIMIT)
    try:
        return msgspec.json.decode(content, type=_File)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise FormatError(f"no COCO annotations: {str(error)[:_WHAT]}", where=name) from None


def _picture(image: _Image, found: _Sorted, *, last: bool) -> AnnotatedPicture:
    return AnnotatedPicture(
        path=image.file_name,
        unsafe=unsafe_reason(image.file_name),
        width=image.width,
        height=image.height,
        boxes=tuple(found.boxes.get(image.id, ())) if last else (),
        others=found.others.get(image.id, 0) if last else 0,
    )


def _box(annotation: _Annotation, place: str) -> Box | None:
    said = annotation.bbox
    if said is None or said.x is None:
        return None
    if said.y is None or said.w is None or said.h is None:
        raise FormatError("a box of fewer than four numbers", where=f"{place}.bbox")
    where = place.rpartition(": ")[2] if annotation.id is None else annotation.id
    return Box(label=annotation.category_id, x=said.x, y=said.y, w=said.w, h=said.h, where=where)


def _twice(file: _File) -> Iterator[Remark]:
    """Name ids that stand twice: of two with one id, loaders keep one."""
    yield from _repeated("images", [each.id for each in file.images])
    yield from _repeated("annotations", [each.id for each in file.annotations])
    yield from _repeated("categories", [each.id for each in file.categories or ()])


def _repeated(key: str, ids: Sequence[int | str | None]) -> Iterator[Remark]:
    first: dict[int | str, int] = {}
    for at, each in enumerate(ids):
        if each is not None and first.setdefault(each, at) != at:
            what = f"has the id {str(each)[:_WHAT]}, as {key}[{first[each]}] has"
            yield Remark(kind="id-twice", where=f"{key}[{at}]", what=what)


def _nowhere(annotations: Sequence[_Annotation], known: Mapping[int | str, int]) -> Iterator[Remark]:
    for at, each in enumerate(annotations):
        if each.image_id not in known:
            what = f"belongs to the picture {str(each.image_id)[:_WHAT]}, which is not listed"
            yield Remark(kind="no-picture", where=f"annotations[{at}]", what=what)
