"""YOLO's text files: one a picture, a line for each object, and the names of the classes in a file of their own.

Source: https://docs.ultralytics.com/datasets/detect/, .../segment/, .../pose/ and .../obb/. A line is
`class x_centre y_centre width height`, or `class x1 y1 x2 y2 x3 y3 ...`, the corners of a polygon, all as shares of
the picture's sides. Where `data.yaml` gives a `kpt_shape`, points with so many numbers follow each box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.annotations.values import lines, number, whole
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import AnnotatedPicture, Annotations, Box, Unit

LIMIT = 2**25
"""Bytes of one file: polygons have thousands of corners."""
MAX_CLASSES = 100_000

_BOX = 5
_TRIANGLE = 7
"""Numbers of a line with the smallest polygon."""


class Names(NamedTuple):
    """What a dataset says of its labels: the classes' names by id, and the numbers that follow a box for key points."""

    classes: Mapping[int | str, str]
    points: int = 0


def parse(data: bytes, name: str, picture: str, names: Names | None = None) -> Annotations:
    """Read the labels of `picture`; `FormatError` for a line that is neither box nor polygon.

    A polygon comes out as the box around it. Centres are written rounded, so a box may stick out of its picture
    by as much as was rounded off (half a millionth of a side, where six digits are written).
    """
    points = names.points if names else 0
    boxes = tuple(_box(row.split(), line, f"{name}:{line}", points) for line, row in lines(data, name, LIMIT))
    read = AnnotatedPicture(path=picture, unsafe=unsafe_reason(picture), boxes=boxes)
    return Annotations(pictures=(read,), unit=Unit.SHARES, noun="line", classes=names.classes if names else None)


def _box(said: Sequence[str], line: int, where: str, points: int) -> Box:
    label, shares = whole(said[0], "the class", where), [number(each, "a share", where) for each in said[1:]]
    if len(said) == _BOX + points:
        x, y, w, h = shares[:4]
        return Box(label=label, x=x - w / 2, y=y - h / 2, w=w, h=h, where=line)
    if points or len(said) < _TRIANGLE or len(said) % 2 == 0:
        expected = f"{_BOX + points}" if points else "5 of a box, or a class and the corners of a polygon"
        raise FormatError(f"{len(said)} numbers", where=where, hint=f"expected {expected}")
    left, top = min(shares[::2]), min(shares[1::2])
    return Box(label=label, x=left, y=top, w=max(shares[::2]) - left, h=max(shares[1::2]) - top, where=line)


def class_list(data: bytes, name: str) -> Names:
    """Read `classes.txt` or `obj.names`: a name a line, ids counted from 0."""
    named = list(lines(data, name, LIMIT))
    empty = next((at for at, (line, _) in enumerate(named, 1) if line != at), None if named else 1)
    if empty is not None:
        raise FormatError("a line without a name", where=f"{name}:{empty}")
    _bounded(named, name)
    return Names({line - 1: row for line, row in named})


def data_yaml(data: bytes, name: str) -> Names:
    """Read `data.yaml`: `names`, a list or a mapping from ids, `nc`, their number, and `kpt_shape`."""
    said = yaml.parse(data, name)
    count, names = (said.get("nc"), said.get("names")) if isinstance(said, dict) else (None, None)
    if count is None and names is None:
        raise FormatError("neither names nor nc", where=name, hint="list the classes under `names:`")
    if count is not None and not _is_count(count):
        raise FormatError(f"not a number of classes up to {MAX_CLASSES:,}", where=f"{name}: nc")
    classes = _names([f"class_{each}" for each in range(count or 0)] if names is None else names, name)
    if count is not None and count != len(classes):
        raise FormatError(f"{count}, where {len(classes)} names are given", where=f"{name}: nc")
    return Names(classes, _points(said.get("kpt_shape"), name))


def _names(said: Any, name: str) -> Mapping[int | str, str]:
    pairs = dict(enumerate(said)) if isinstance(said, list) else said
    if not isinstance(pairs, dict) or not all(map(_is_count, pairs)):
        raise FormatError("neither a list of names nor names by id", where=f"{name}: names")
    if not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in pairs.values()):
        raise FormatError("not all are names", where=f"{name}: names")
    _bounded(pairs, name)
    return {key: str(each) for key, each in pairs.items()}


def _points(said: Any, name: str) -> int:
    if said is None:
        return 0
    if not isinstance(said, list) or not all(map(_is_count, said)) or len(said) != 2:  # noqa: PLR2004 - points, numbers
        raise FormatError("not [points, numbers of each]", where=f"{name}: kpt_shape")
    return int(said[0] * said[1])


def _bounded(found: Sized, name: str) -> None:
    if len(found) > MAX_CLASSES:
        raise FormatError(f"more than {MAX_CLASSES:,} classes", where=name)


def _is_count(said: object) -> bool:
    return isinstance(said, int) and not isinstance(said, bool) and 0 <= said <= MAX_CLASSES
