"""Tables of boxes as CSV: a row a box, a picture in as many rows as it has boxes.

Source: RFC 4180 for the form; the columns are those that widely used converters write: `filename, width, height,
class, xmin, ymin, xmax, ymax`. A row with all four corners left empty names a picture without a box.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from audit.errors import FormatError
from audit.formats.annotations.values import csv_rows, number, whole
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import AnnotatedPicture, Annotations, Box, Remark, Unit

LIMIT = 2**28
"""Bytes of one file: some four million boxes."""

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
USUAL: Mapping[str, tuple[str, ...]] = {
    "path": ("filename", "file_name", "image_path", "image", "path", "file", "img"),
    "width": ("width", "image_width", "img_width"),
    "height": ("height", "image_height", "img_height"),
    "label": ("class", "label", "class_name", "labelname", "category", "class_id"),
    **{each: (each, f"{each[0]}_{each[1:]}", f"{each[0]}{1 if each.endswith('min') else 2}") for each in _CORNERS},
}
"""Names of the columns, as they are looked for, in small letters, where none are declared."""

_NEEDED = ("path", "label", *_CORNERS)
_ID = re.compile(r"0|[1-9][0-9]{0,17}")


class _Picture:
    """What the rows of one picture say."""

    def __init__(self, size: tuple[int | None, int | None]) -> None:
        self.size = size
        self.boxes: list[Box] = []


class _Table:
    """Gathers rows by their picture."""

    def __init__(self, columns: Mapping[str, int], name: str) -> None:
        self.columns = columns
        self.name = name
        self.pictures: dict[str, _Picture] = {}
        self.remarks: list[Remark] = []

    def add(self, line: int, row: Sequence[str]) -> None:
        where = f"{self.name}:{line}"
        said = {key: row[at] for key, at in self.columns.items()}
        size = _side(said, "width", where), _side(said, "height", where)
        picture = self.pictures.setdefault(said["path"], _Picture(size))
        if picture.size != size:
            what = f"gives the size {_size(size)}, an earlier line of the same picture {_size(picture.size)}"
            self.remarks.append(Remark(kind="size-differs", where=f"line {line}", what=what))
        if any(said[corner] for corner in _CORNERS):
            picture.boxes.append(_box(said, line, where))


def parse(data: bytes, name: str, columns: Mapping[str, str] | None = None, unit: Unit = Unit.PIXELS) -> Annotations:
    """Read a table; `FormatError` if a column is missing, a row is of another length or a corner no number.

    `columns` gives the headings for the keys of `USUAL`; a key that it leaves out is looked for by the usual
    names. Boxes are numbered by line.
    """
    rows = csv_rows(data, name, LIMIT)
    line, heads = next(rows, (1, None))
    if heads is None:
        raise FormatError("no line of headings", where=name)
    table = _Table(_columns(heads, columns or {}, f"{name}:{line}"), name)
    for line, row in rows:
        if len(row) != len(heads):
            raise FormatError(f"{len(row)} values, where the heading has {len(heads)}", where=f"{name}:{line}")
        table.add(line, row)
    pictures = tuple(_picture(path, found) for path, found in table.pictures.items())
    return Annotations(pictures=pictures, unit=unit, noun="line", remarks=tuple(table.remarks))


def _columns(heads: Sequence[str], declared: Mapping[str, str], where: str) -> Mapping[str, int]:
    found = {key: _column(heads, key, declared, where) for key in USUAL}
    missing = [key for key in _NEEDED if found[key] is None]
    if missing:
        hint = f"it is looked for as {', '.join(USUAL[missing[0]])}; declare it if it is called otherwise"
        raise FormatError(f"no column for the {missing[0]}", where=where, hint=hint)
    return {key: at for key, at in found.items() if at is not None}


def _column(heads: Sequence[str], key: str, declared: Mapping[str, str], where: str) -> int | None:
    """The place of a column: the declared one, else that of the first usual name."""
    small = [head.lower() for head in heads]
    place = heads if key in declared else small
    called = [declared[key]] if key in declared else [each for each in USUAL[key] if each in small][:1]
    if key in declared and declared[key] not in heads:
        raise FormatError(f"no column {declared[key][:40]!r}", where=where)
    if called and place.count(called[0]) > 1:
        raise FormatError(f"two columns {called[0][:40]!r}", where=where)
    return place.index(called[0]) if called else None


def _side(said: Mapping[str, str], key: str, where: str) -> int | None:
    return whole(said[key], key, where) if said.get(key) else None


def _size(size: tuple[int | None, int | None]) -> str:
    return "x".join("?" if side is None else str(side) for side in size)


def _box(said: Mapping[str, str], line: int, where: str) -> Box:
    left, top, right, bottom = (number(said[each], each, where) for each in _CORNERS)
    label = said["label"]
    known = int(label) if _ID.fullmatch(label) else label or None
    return Box(label=known, x=left, y=top, w=right - left, h=bottom - top, where=line)


def _picture(path: str, found: _Picture) -> AnnotatedPicture:
    width, height = found.size
    boxes = tuple(found.boxes)
    return AnnotatedPicture(path=path, unsafe=unsafe_reason(path), width=width, height=height, boxes=boxes)
