"""Exhibits as markup: one function for each type, which draws the shape of data of that type.

A new type is a shape in `shapes.py` and a function, entered in `_DRAWERS`. Data that
has another shape, or a type that is not known here, is shown as JSON. Charts are
inline SVG without style attributes, which the page's policy forbids; beside each
stands its data as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from audit.records.findings import Exhibit, Scalar
from audit.records.report import printable
from audit.sinks.html.histogram import WIDTH, histogram, legend
from audit.sinks.html.overview import merged, overview
from audit.sinks.html.shapes import Bars, Clip, Columns, GroupedBars, Histogram, Pictures, Table, Text
from audit.sinks.html.signals import over_time, sheet
from audit.sinks.html.tables import Share, left_out, shares, tabular, whole, within
from audit.sinks.html.text import clip, lines, visible

_LABEL = 100
"""Characters of the longest label that is shown."""


_WIDE = {"columns", "pictures"}


class Picture(NamedTuple):
    """An exhibit on the page; a `wide` one takes the whole width."""

    title: str
    markup: Markup
    wide: bool


def drawn(exhibits: Sequence[Exhibit], room: int) -> Iterator[Picture]:
    """The exhibits of one rule as markup, the text of each within about `room` characters."""
    for exhibit, parts in merged(exhibits):
        yield Picture(exhibit.title, draw(exhibit, room * parts), exhibit.type in _WIDE)


def draw(exhibit: Exhibit, room: int) -> Markup:
    """The exhibit as markup, its text within about `room` characters."""
    shape, drawer = _DRAWERS.get(exhibit.type, (None, _json))
    if shape is None:
        return drawer(exhibit.data, room)
    try:
        return drawer(msgspec.convert(exhibit.data, shape), room)
    except msgspec.ValidationError:
        return _json(exhibit.data, room)


def _table(table: Table, room: int) -> Markup:
    kept, left = within(table.rows, room)
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(visible(name)) for name in table.columns)
    return tabular(head, kept) + left_out(left, "row")


def _bars(bars: Bars, room: int) -> Markup:
    low, high = min(0.0, *bars.values), max(0.0, *bars.values)
    scale = WIDTH / ((high - low) or 1)
    zero = abs(low) * scale
    rows = [
        (visible(label), _bar(min(zero, zero + value * scale), abs(value) * scale), whole(value))
        for label, value in zip(bars.labels, bars.values, strict=True)
    ]
    kept, left = within(rows, room)
    head = Markup('<th scope="col">label</th><td></td><th scope="col">value</th>')
    return Markup('<div class="bars">{}</div>').format(tabular(head, kept)) + left_out(left, "bar")


def _bar(start: float, width: float) -> Markup:
    return Markup(
        '<svg class="bar" viewBox="0 0 {} 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect x="{:.1f}" width="{:.1f}" height="10"/></svg>'
    ).format(WIDTH, start, width)


def _grouped(bars: GroupedBars, room: int) -> Markup:
    """A bar of each series beneath the other, and the numbers in columns beside them."""
    top = max(max(values) for values in bars.series.values()) or 1
    say = Share if shares(bars.series.values()) else whole
    rows = [
        (_named(label), _group([value / top for value in values]), *map(say, values))
        for label, *values in zip(bars.labels, *bars.series.values(), strict=True)
    ]
    kept, left = within(rows, room)
    names = (Markup('<th scope="col" class="num">{}</th>').format(visible(name)) for name in bars.series)
    head = Markup('<th scope="col">label</th><td></td>') + Markup("").join(names)
    table = tabular(head, kept) + left_out(left, "label")
    return Markup('<div class="bars grouped">{}{}</div>').format(legend(bars.series), table)


def _named(label: Scalar) -> str:
    return "(missing)" if label is None else clip(label, _LABEL)


def _group(parts: Sequence[float]) -> Markup:
    """Bars of these shares of the width."""
    rects = Markup("").join(
        Markup('<rect class="series s{}" x="1" y="{}" width="{:.1f}" height="9"/>').format(
            place, 12 * place + 2, part * (WIDTH - 2)
        )
        for place, part in enumerate(parts)
    )
    return Markup(
        '<svg class="group g{}" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    ).format(len(parts), WIDTH, 12 * len(parts) + 1, rects)


def _text(text: Text, room: int) -> Markup:
    return _pre(text.text.expandtabs(), room)


def _json(data: object, room: int) -> Markup:
    plain = msgspec.json.encode(printable(data), order="deterministic")
    return _pre(msgspec.json.format(plain, indent=2).decode("utf-8"), room)


def _pre(text: str, room: int) -> Markup:
    return Markup('<pre class="scroll" tabindex="0" role="group" aria-label="text, can be scrolled">{}</pre>').format(
        lines(clip(text, room))
    )


_DRAWERS: dict[str, tuple[type[Any] | None, Callable[[Any, int], Markup]]] = {
    "table": (Table, _table),
    "bars": (Bars, _bars),
    "bars2": (GroupedBars, _grouped),
    "clip": (Clip, over_time),
    "columns": (Columns, overview),
    "histogram": (Histogram, histogram),
    "pictures": (Pictures, sheet),
    "text": (Text, _text),
}
