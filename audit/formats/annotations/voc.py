"""Pascal VOC's XML: one file a picture.

Source: the development kit of the PASCAL Visual Object Classes Challenge 2012, section 4.1, and its
`VOCreadrecxml.m`. A box is given by its corners in pixels, counted from 1, and its last pixel belongs to it; but
tools count from 0 as well. So corners are kept as said: either way they lie between 0 and the picture's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from audit.errors import FormatError
from audit.formats.annotations.values import bounded, number, whole
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import AnnotatedPicture, Annotations, Box, Unit

LIMIT = 2**22
"""Bytes of one file: some twenty thousand objects in one picture."""
MAX_DEPTH = 32
"""Elements inside elements; VOC's own have five."""

_ENCODINGS = frozenset({"utf-8", "utf-16", "us-ascii", "iso-8859-1"})
"""Those that the parser knows itself. Any other would be looked up among Python's codecs."""

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_OBJECT = ("annotation", "object")
_FILENAME = ("annotation", "filename")
_OF_PICTURE = frozenset({_FILENAME, ("annotation", "size", "width"), ("annotation", "size", "height")})
_OF_OBJECT = frozenset({(*_OBJECT, "name"), *((*_OBJECT, "bndbox", corner) for corner in _CORNERS)})

_Path = tuple[str, ...]
"""The names of an element and of those around it, the root's first."""


class _Reader:
    """Keeps the texts of the elements that matter. A part's box (a hand's, say) lies deeper and is none of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stack: list[str] = []
        self.texts: list[str] | None = None
        self.picture: dict[_Path, str] = {}
        self.object: dict[_Path, str] = {}
        self.boxes: list[Box] = []
        self.others = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.XmlDeclHandler = self.declaration
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype

    @property
    def where(self) -> str:
        return f"{self.name}:{self.parser.CurrentLineNumber}"

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise FormatError(f"the encoding {encoding[:40]} is not read", where=self.where, hint="save it as UTF-8")

    def doctype(self, *_: object) -> NoReturn:
        raise FormatError("a document type, which could define entities", where=self.where, hint="remove <!DOCTYPE>")

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        if len(self.stack) == MAX_DEPTH:
            raise FormatError(f"elements more than {MAX_DEPTH} deep", where=self.where)
        if not self.stack and tag != "annotation":
            raise FormatError("its root is not <annotation>", where=self.where)
        self.stack.append(tag)
        path = tuple(self.stack)
        self.texts = [] if path in _OF_PICTURE or path in _OF_OBJECT else None
        if path == _OBJECT:
            self.object = {}

    def characters(self, text: str) -> None:
        if self.texts is not None:
            self.texts.append(text)

    def end(self, _tag: str) -> None:
        path = tuple(self.stack)
        self.stack.pop()
        if path == _OBJECT:
            self.close_object()
        elif self.texts is not None:
            self.keep(path, "".join(self.texts).strip())
        self.texts = None

    def keep(self, path: _Path, text: str) -> None:
        into = self.object if path in _OF_OBJECT else self.picture
        if path in into:
            raise FormatError(f"a second <{path[-1]}>", where=self.where)
        into[path] = text

    def close_object(self) -> None:
        said = {corner: self.object.get((*_OBJECT, "bndbox", corner)) for corner in _CORNERS}
        if not any(value is not None for value in said.values()):
            self.others += 1
            return
        left, top, right, bottom = (number(said[each] or "", each, self.where) for each in _CORNERS)
        label, where = self.object.get((*_OBJECT, "name")) or None, len(self.boxes) + self.others + 1
        self.boxes.append(Box(label=label, x=left, y=top, w=right - left, h=bottom - top, where=where))

    def side(self, which: str) -> int | None:
        said = self.picture.get(("annotation", "size", which))
        return whole(said, which, self.name) if said else None


def parse(data: bytes, name: str) -> Annotations:
    """Read the file of one picture; `FormatError` for anything else.

    The path is the file name that is said, `folder` left out. Of a box `x` and `y` are `xmin` and `ymin`, width
    and height the differences of the corners. Objects are numbered from 1.
    """
    bounded(data, name, LIMIT)
    reader = _Reader(name)
    try:
        reader.parser.Parse(data, True)  # noqa: FBT003 - expat's own: this is all of it
    except expat.ExpatError as error:
        raise FormatError(f"not XML: {expat.ErrorString(error.code)}", where=f"{name}:{error.lineno}") from None
    return Annotations(pictures=(_picture(reader),), unit=Unit.PIXELS, noun="object", inclusive=True)


def _picture(reader: _Reader) -> AnnotatedPicture:
    path = reader.picture.get(_FILENAME)
    if not path:
        raise FormatError("no <filename>", where=reader.name, hint="name the picture that it speaks of")
    return AnnotatedPicture(
        path=path,
        unsafe=unsafe_reason(path),
        width=reader.side("width"),
        height=reader.side("height"),
        boxes=tuple(reader.boxes),
        others=reader.others,
    )
