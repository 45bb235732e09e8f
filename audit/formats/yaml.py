"""The one YAML loader: YAML 1.2, core schema, strict and bounded, on libyaml's parser.

libyaml scans and parses (its parser keeps an explicit stack, so depth cannot crash
it); what a plain scalar means, what is a duplicate and what is too much is decided
here. Source: YAML 1.2.2, sections 10.3.2 (core schema) and 5.1 (character set),
https://yaml.org/spec/1.2.2/. Stricter than the specification on purpose: no tags,
no collections as keys, one document, `%YAML 1.1` refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

import msgspec
import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from audit.errors import FormatError

LIMIT = 8 * 2**20
"""Bytes of one file."""
MAX_DEPTH = 100
"""Collections inside collections."""
MAX_NODES = 1_000_000
"""Nodes of one document, every use of an alias counted with all that it stands for."""
MAX_DIGITS = 500
"""Characters of one number; beyond 640 digits Python's own guard against slow conversion sets in."""

Key = str | int | float | bool | None
Path = tuple[Key, ...]
_Node = AliasEvent | ScalarEvent | CollectionStartEvent

_WORDS: Mapping[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + inf: float(sign + "inf") for sign in ("", "-", "+") for inf in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")

# c-printable of YAML 1.2 less the byte order mark, and less NEL, LS and PS: those end
# a line in YAML 1.1 and in libyaml but not in YAML 1.2, so a file that has them raw
# would be read in two ways.
_REFUSED = re.compile("[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class Mark(NamedTuple):
    """A place in a file; both numbers count from 1, columns in characters."""

    line: int
    column: int


class _Spot(msgspec.Struct, frozen=True):
    """Where a value is, and where the values in it are."""

    mark: Any
    inside: dict[Key, _Spot] | list[_Spot] | None = None


class Marks(Mapping[Path, Mark]):
    """The mark of every value by its path; an entry of a mapping is marked at its key."""

    def __init__(self, root: _Spot) -> None:
        self._root = root

    def __getitem__(self, path: Path) -> Mark:
        spot = self._root
        for step in path:
            spot = _inside(spot, step)
        return _mark(spot.mark)

    def nearest(self, path: Path) -> Mark:
        """Mark the path, or the innermost part of it that is there."""
        spot = self._root
        for step in path:
            try:
                spot = _inside(spot, step)
            except KeyError:
                break
        return _mark(spot.mark)

    def __iter__(self) -> Iterator[Path]:
        return _paths((), self._root)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Document(NamedTuple):
    """A document's value, and where each part of it stands."""

    value: Any
    marks: Marks


def load(data: bytes | str, name: str, *, limit: int = LIMIT) -> Document:
    """Read a file's one document with its marks; `FormatError` at `name:line:column` if anything is wrong."""
    value, spot = _read(data, name, limit)
    return Document(value, Marks(spot))


def parse(data: bytes | str, name: str, *, limit: int = LIMIT) -> Any:
    """Read a file's one document by the rules of `load`."""
    return _read(data, name, limit)[0]


def _read(data: bytes | str, name: str, limit: int) -> tuple[Any, _Spot]:
    try:
        return _Reader(_text(data, name, limit), name).document()
    except yaml.MarkedYAMLError as error:
        raise FormatError(_reason(error), where=_where(name, error.problem_mark or error.context_mark)) from None
    except yaml.YAMLError as error:
        raise FormatError(f"not YAML: {error}", where=name) from None


def _text(data: bytes | str, name: str, limit: int) -> str:
    if len(data) > limit:
        raise FormatError(f"larger than {limit} bytes", where=name)
    text = data if isinstance(data, str) else _decoded(data, name)
    text = text.removeprefix("\ufeff")
    if bad := _REFUSED.search(text):
        raise FormatError(
            f"character U+{ord(bad.group()):04X} is not allowed in YAML as it is",
            where=_at(text[: bad.start()], name),
            hint="write it as an escape in double quotes",
        )
    return text


def _decoded(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        raise FormatError("UTF-16 or UTF-32 text", where=name, hint="save the file as UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(errors="replace")
        raise FormatError("not UTF-8", where=_at(before, name), hint="save the file as UTF-8") from None


class _Reader:
    """Builds one document's value from libyaml's events, by recursive descent within `MAX_DEPTH`."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.event: Callable[[], Any] = CParser(text).get_event
        self.anchors: dict[str, tuple[Any, _Spot, int] | None] = {}
        self.nodes = 0
        self.depth = 0

    def document(self) -> tuple[Any, _Spot]:
        self.event()  # the start of the stream
        start = self.event()
        if isinstance(start, StreamEndEvent):
            return None, _Spot(start.start_mark)
        if isinstance(start, DocumentStartEvent) and start.version == (1, 1):
            self.refuse(start, "a YAML 1.1 document", "remove %YAML 1.1: files are read as YAML 1.2")
        value, spot = self.node(self.event())
        self.event()  # the end of the document
        if not isinstance(more := self.event(), StreamEndEvent):
            self.refuse(more, "a second document", "keep one document in the file")
        return value, spot

    def node(self, event: _Node) -> tuple[Any, _Spot]:
        if isinstance(event, AliasEvent):
            return self.alias(event)
        before = self.nodes
        self.count(event, 1)
        if event.tag is not None:
            self.refuse(event, f"tag {event.tag!r}", "remove it; tags are not read")
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        built = self.scalar(event) if isinstance(event, ScalarEvent) else self.collection(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (*built, self.nodes - before)
        return built

    def count(self, event: Event, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            self.refuse(event, f"more than {MAX_NODES} nodes, aliases expanded")

    def alias(self, event: AliasEvent) -> tuple[Any, _Spot]:
        if event.anchor not in self.anchors:
            self.refuse(event, f"alias *{event.anchor} to no anchor before it")
        target = self.anchors[event.anchor]
        if target is None:
            self.refuse(event, f"alias *{event.anchor} inside what it stands for")
        value, spot, nodes = target
        self.count(event, nodes)
        return value, _Spot(event.start_mark, spot.inside)

    def scalar(self, event: ScalarEvent) -> tuple[Any, _Spot]:
        text: str = event.value
        if event.style:
            return text, _Spot(event.start_mark)
        if not event.implicit[0]:
            self.refuse(event, "tag '!'", "remove it; put text in quotes")
        try:
            return plain(text), _Spot(event.start_mark)
        except FormatError as error:
            self.refuse(event, error.what, error.hint)

    def collection(self, event: _Node) -> tuple[Any, _Spot]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(event, f"nested deeper than {MAX_DEPTH}")
        built = self.mapping(event) if isinstance(event, MappingStartEvent) else self.sequence(event)
        self.depth -= 1
        return built

    def sequence(self, event: _Node) -> tuple[list[Any], _Spot]:
        values: list[Any] = []
        spots: list[_Spot] = []
        while not isinstance(item := self.event(), SequenceEndEvent):
            value, spot = self.node(item)
            values.append(value)
            spots.append(spot)
        return values, _Spot(event.start_mark, spots)

    def mapping(self, event: _Node) -> tuple[dict[Key, Any], _Spot]:
        values: dict[Key, Any] = {}
        spots: dict[Key, _Spot] = {}
        while not isinstance(item := self.event(), MappingEndEvent):
            key = self.key(item)
            if key in values:
                self.refuse(item, f"duplicate key {key!r}, first on line {_mark(spots[key].mark).line}")
            values[key], spot = self.node(self.event())
            spots[key] = _Spot(item.start_mark, spot.inside)
        return values, _Spot(event.start_mark, spots)

    def key(self, event: _Node) -> Key:
        key, _ = self.node(event)
        if isinstance(key, dict | list):
            self.refuse(event, "a collection as a key")
        if key != key:  # noqa: PLR0124 - the definition of NaN
            self.refuse(event, ".nan as a key", "put it in quotes")
        return key  # type: ignore[no-any-return]

    def refuse(self, event: Event, what: str, hint: str = "") -> NoReturn:
        raise FormatError(what, where=_where(self.name, event.start_mark), hint=hint)


def plain(text: str) -> Key:
    """Resolve a scalar without quotes by the core schema; `FormatError` for an endless number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or not (kind := _number(text)):
        return text
    if len(text) > MAX_DIGITS:
        raise FormatError(f"a number of more than {MAX_DIGITS} characters", hint="put it in quotes")
    return kind(text)


def _number(text: str) -> Callable[[str], int | float] | None:
    if _DECIMAL.fullmatch(text):
        return int
    if _BASED.fullmatch(text):
        return _based
    return float if _FLOAT.fullmatch(text) else None


def _based(text: str) -> int:
    return int(text, base=0)


def _inside(spot: _Spot, step: Key) -> _Spot:
    inside = spot.inside
    if isinstance(inside, dict):
        return inside[step]
    if isinstance(inside, list) and isinstance(step, int) and 0 <= step < len(inside):
        return inside[step]
    raise KeyError(step)


def _paths(path: Path, spot: _Spot) -> Iterator[Path]:
    yield path
    inside = spot.inside or ()
    for step, child in inside.items() if isinstance(inside, dict) else enumerate(inside):
        yield from _paths((*path, step), child)


def _reason(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part)


def _mark(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1)


def _where(name: str, mark: Any) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name


def _at(before: str, name: str) -> str:
    """Name the place right after a text."""
    line = before.replace("\r\n", "\n").replace("\r", "\n")
    return f"{name}:{line.count(chr(10)) + 1}:{len(line) - line.rfind(chr(10))}"
