"""From libyaml's events to values and marks.

libyaml scans and parses (its parser keeps a stack of its own, so depth cannot crash
it); what a scalar means, what is a duplicate and what is too much is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

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
from audit.formats.yaml.marks import Mark, Marks, Spot
from audit.formats.yaml.schema import CORE, Schema
from audit.formats.yaml.text import LIMIT, checked

MAX_DEPTH = 100
"""Collections inside collections."""
MAX_NODES = 1_000_000
"""Nodes of one document, every use of an alias counted with all that it stands for."""
_MESSAGE = 120  # characters: a key or a tag may be as long as the file

_Node = AliasEvent | ScalarEvent | CollectionStartEvent
_Built = tuple[Any, Spot]
_Entries = tuple[dict[Any, Any], dict[Any, Spot]]


class Document(NamedTuple):
    """A document's value, and where each part of it stands."""

    value: Any
    marks: Marks


def load(data: bytes | str, name: str, *, limit: int = LIMIT, schema: Schema = CORE) -> Document:
    """Read a file's one document with its marks; `FormatError` at `name:line:column` if anything is wrong."""
    value, spot = _read(data, name, limit, schema)
    return Document(value, Marks(spot))


def parse(data: bytes | str, name: str, *, limit: int = LIMIT, schema: Schema = CORE) -> Any:
    """Read a file's one document by the rules of `load`, without the marks."""
    return _read(data, name, limit, schema)[0]


def _read(data: bytes | str, name: str, limit: int, schema: Schema) -> _Built:
    try:
        return _Reader(checked(data, name, limit), name, schema).document()
    except yaml.MarkedYAMLError as error:
        what = " ".join(part for part in (error.context, error.problem) if part)
        raise FormatError(what, where=_where(name, error.problem_mark or error.context_mark)) from None
    except yaml.YAMLError as error:
        raise FormatError(f"not YAML: {error}", where=name) from None


class _Reader:
    """Builds one document's value by recursive descent, never deeper than `MAX_DEPTH`."""

    def __init__(self, text: str, name: str, schema: Schema) -> None:
        self.name = name
        self.schema = schema
        self.event: Callable[[], Any] = CParser(text).get_event
        self.anchors: dict[str, tuple[Any, Spot, int] | None] = {}
        self.nodes = 0
        self.depth = 0

    def document(self) -> _Built:
        self.event()  # the start of the stream
        start = self.event()
        if isinstance(start, StreamEndEvent):
            return None, Spot(start.start_mark)
        if isinstance(start, DocumentStartEvent) and start.version == (1, 1):
            self.refuse(start, "a YAML 1.1 document", "remove %YAML 1.1: files are read as YAML 1.2")
        built = self.node(self.event())
        self.event()  # the end of the document
        if not isinstance(more := self.event(), StreamEndEvent):
            self.refuse(more, "a second document", "keep one document in the file")
        return built

    def node(self, event: _Node) -> _Built:
        if isinstance(event, AliasEvent):
            return self.alias(event)
        before = self.nodes
        self.count(event, 1)
        if event.tag is not None:
            self.refuse(event, f"the tag {event.tag!r}", "remove it: tags are not read")
        if event.anchor is None:
            return self.content(event)
        self.anchors[event.anchor] = None  # until it is whole
        built = self.content(event)
        self.anchors[event.anchor] = (*built, self.nodes - before)
        return built

    def content(self, event: ScalarEvent | CollectionStartEvent) -> _Built:
        return self.scalar(event) if isinstance(event, ScalarEvent) else self.collection(event)

    def alias(self, event: AliasEvent) -> _Built:
        if event.anchor not in self.anchors:
            self.refuse(event, f"the alias *{event.anchor} comes before any anchor of that name")
        target = self.anchors[event.anchor]
        if target is None:
            self.refuse(event, f"the alias *{event.anchor} is inside what it stands for")
        value, spot, nodes = target
        self.count(event, nodes)
        return value, Spot(event.start_mark, spot.inside)

    def count(self, event: Event, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            self.refuse(event, f"more than {MAX_NODES} nodes, aliases expanded")

    def scalar(self, event: ScalarEvent) -> _Built:
        if event.style:  # quoted, literal or folded
            return event.value, Spot(event.start_mark)
        if not event.implicit[0]:
            self.refuse(event, "the tag '!'", "remove it, and put text in quotes")
        try:
            return self.schema.plain(event.value), Spot(event.start_mark)
        except FormatError as error:
            self.refuse(event, error.what, error.hint)

    def collection(self, event: CollectionStartEvent) -> _Built:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(event, f"nested deeper than {MAX_DEPTH}")
        built = self.mapping(event) if isinstance(event, MappingStartEvent) else self.sequence(event)
        self.depth -= 1
        return built

    def sequence(self, event: CollectionStartEvent) -> _Built:
        values: list[Any] = []
        spots: list[Spot] = []
        while not isinstance(item := self.event(), SequenceEndEvent):
            value, spot = self.node(item)
            values.append(value)
            spots.append(spot)
        return values, Spot(event.start_mark, spots)

    def mapping(self, event: CollectionStartEvent) -> _Built:
        values: dict[Any, Any] = {}
        spots: dict[Any, Spot] = {}
        merged: _Entries | None = None
        while not isinstance(item := self.event(), MappingEndEvent):
            if self.merges(item):
                merged = self.merge(item, merged)
                continue
            key = self.key(item)
            if key in values:
                self.refuse(item, f"the key {key!r} a second time: first on line {spots[key].mark.line}")
            values[key], spot = self.node(self.event())
            spots[key] = Spot(item.start_mark, spot.inside)
        if merged:
            values, spots = merged[0] | values, merged[1] | spots
        return values, Spot(event.start_mark, spots)

    def key(self, event: _Node) -> Any:
        key, _ = self.node(event)
        if isinstance(key, dict | list):
            self.refuse(event, "a collection as a key")
        if key != key:  # noqa: PLR0124 - that is how NaN is known
            self.refuse(event, ".nan as a key", "put it in quotes")
        return key

    def merges(self, event: _Node) -> bool:
        return self.schema.merge and isinstance(event, ScalarEvent) and event.value == "<<" and event.implicit[0]

    def merge(self, event: ScalarEvent, merged: _Entries | None) -> _Entries:
        """Read what `<<` brings in: a mapping, or several of which the first wins."""
        if merged is not None:
            self.refuse(event, "the key '<<' a second time", "merge a list: '<<: [*first, *second]'")
        value, spot = self.node(self.event())
        sources = zip(value, spot.inside or (), strict=True) if isinstance(value, list) else [(value, spot)]
        entries: _Entries = ({}, {})
        for source, place in reversed(list(sources)):
            if not isinstance(source, dict):
                self.refuse(event, "'<<' with something else than mappings")
            entries[0].update(source)
            entries[1].update(place.inside)
        return entries

    def refuse(self, event: Event, what: str, hint: str = "") -> NoReturn:
        short = what if len(what) <= _MESSAGE else f"{what[:_MESSAGE]}..."
        raise FormatError(short, where=_where(self.name, event.start_mark), hint=hint)


def _where(name: str, start: Any) -> str:
    mark: Mark | None = start and Spot(start).mark
    return f"{name}:{mark.line}:{mark.column}" if mark else name
