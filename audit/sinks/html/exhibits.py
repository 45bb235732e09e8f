"""Exhibits as markup: one small function for each type, each with the shape of data that it draws.

A new type is a `Struct` for its data and a function, entered in `_DRAWERS`. Data that
has another shape, or a type that is not known here, is shown as JSON. Charts are
inline SVG without style attributes, which the page's policy forbids; beside each
stands its data as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from markupsafe import Markup

from audit.records.findings import Exhibit, Scalar
from audit.records.report import printable
from audit.sinks.html.text import clip, lines, number, visible

_WIDTH = 1000
_HEIGHT = 200
_QUARTERS = 4
_SERIES = 4
"""That many lines can be told apart by their stroke alone; more are shown as JSON."""


class Table(msgspec.Struct):
    """`table`: rows under named columns."""

    columns: list[str]
    rows: list[list[Scalar]]


class Bars(msgspec.Struct):
    """`bars`: one value for each label."""

    labels: list[str | int | float]
    values: list[float]

    def __post_init__(self) -> None:
        _demand(len(self.labels) == len(self.values) > 0, self.values)


class Histogram(msgspec.Struct):
    """`histogram`: `counts` between ascending `edges`, or several named `series` of counts over the same edges."""

    edges: list[float]
    counts: list[float] | None = None
    series: dict[str, list[float]] = {}

    def __post_init__(self) -> None:
        bins = len(self.edges) - 1
        _demand(bins > 0 and all(low < high for low, high in pairwise(self.edges)), self.edges)
        _demand(0 < len(self.named()) <= _SERIES, [])
        for counts in self.named().values():
            _demand(len(counts) == bins and min(counts) >= 0, counts)

    def named(self) -> dict[str, list[float]]:
        """All series; the nameless one is called `count`."""
        return {**({} if self.counts is None else {"count": self.counts}), **self.series}


class Text(msgspec.Struct):
    """`text`: lines as they are."""

    text: str


def draw(exhibit: Exhibit, room: int) -> Markup:
    """The exhibit as markup, its text within about `room` characters."""
    shape, drawer = _DRAWERS.get(exhibit.type, (None, _json))
    if shape is None:
        return drawer(exhibit.data, room)
    try:
        return drawer(msgspec.convert(exhibit.data, shape), room)
    except msgspec.ValidationError:
        return _json(exhibit.data, room)


def _demand(holds: object, numbers: Iterable[float]) -> None:
    if not (holds and all(map(math.isfinite, numbers))):
        raise ValueError("not what can be drawn")


def _table(table: Table, room: int) -> Markup:
    kept, left = _within(table.rows, room)
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(visible(name)) for name in table.columns)
    return _tabular(head, kept) + _note(left, "row")


def _tabular(head: Markup, rows: Iterable[Sequence[object]]) -> Markup:
    body = Markup("").join(Markup("<tr>{}").format(Markup("").join(map(_cell, row))) for row in rows)
    return Markup(
        '<div class="scroll" tabindex="0" role="group" aria-label="table, can be scrolled"><table>'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(head, body)


def _cell(value: object) -> Markup:
    if isinstance(value, Markup):
        return Markup("<td>{}</td>").format(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Markup('<td class="num">{}</td>').format(number(value))
    return Markup("<td>{}</td>").format("" if value is None else visible(value))


def _bars(bars: Bars, room: int) -> Markup:
    low, high = min(0.0, *bars.values), max(0.0, *bars.values)
    scale = _WIDTH / ((high - low) or 1)
    zero = abs(low) * scale
    rows = [
        (visible(label), _bar(min(zero, zero + value * scale), abs(value) * scale), _whole(value))
        for label, value in zip(bars.labels, bars.values, strict=True)
    ]
    kept, left = _within(rows, room)
    head = Markup('<th scope="col">label</th><td></td><th scope="col">value</th>')
    return Markup('<div class="bars">{}</div>').format(_tabular(head, kept)) + _note(left, "bar")


def _bar(start: float, width: float) -> Markup:
    return Markup(
        '<svg class="bar" viewBox="0 0 {} 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect x="{:.1f}" width="{:.1f}" height="10"/></svg>'
    ).format(_WIDTH, start, width)


def _histogram(histogram: Histogram, room: int) -> Markup:
    named = histogram.named()
    top = max(max(counts) for counts in named.values()) or 1
    shapes = Markup("").join(
        Markup('<path class="series s{}" d="{}"/>').format(place, _outline(histogram.edges, counts, top))
        for place, counts in enumerate(named.values())
    )
    return Markup(
        '<div class="plot"><p class="peak">{}</p>'
        '<svg class="canvas" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
        "{}{}{}</div>"
    ).format(
        number(_whole(top)),
        _WIDTH,
        _HEIGHT,
        shapes,
        _axis(histogram.edges[0], histogram.edges[-1]),
        _legend(named),
        _bins(histogram, room),
    )


def _axis(low: float, high: float) -> Markup:
    """Five labels, in an SVG of its own that does not stretch them."""
    ticks = Markup("").join(
        Markup('<text x="{}%" y="1em" text-anchor="{}">{:.4g}</text>').format(
            quarter * 25, "middle" if 0 < quarter < _QUARTERS else ("end" if quarter else "start"), low + step
        )
        for quarter, step in ((quarter, (high - low) * quarter / _QUARTERS) for quarter in range(_QUARTERS + 1))
    )
    return Markup('<svg class="axis" aria-hidden="true">{}</svg>').format(ticks)


def _outline(edges: Sequence[float], counts: Sequence[float], top: float) -> str:
    """A staircase from the floor over all bins and back to the floor."""
    scale = _WIDTH / (edges[-1] - edges[0])
    steps = [f"M0 {_HEIGHT}"]
    for edge, count in zip(edges[1:], counts, strict=True):
        steps.append(f"V{_HEIGHT * (1 - count / top):.1f}H{(edge - edges[0]) * scale:.1f}")
    return "".join([*steps, f"V{_HEIGHT}"])


def _legend(named: Iterable[str]) -> Markup:
    names = list(named)
    if names == ["count"]:
        return Markup("")
    return Markup('<p class="legend">{}</p>').format(
        Markup(" ").join(
            Markup(
                '<span><svg viewBox="0 0 24 10" aria-hidden="true"><path class="series s{}" d="M1 10V2H23V10"/></svg>'
                "{}</span>"
            ).format(place, visible(name))
            for place, name in enumerate(names)
        )
    )


def _bins(histogram: Histogram, room: int) -> Markup:
    named = histogram.named()
    rows = [
        (_whole(low), _whole(high), *map(_whole, counts))
        for (low, high), *counts in zip(pairwise(histogram.edges), *named.values(), strict=True)
    ]
    kept, left = _within(rows, room)
    head = Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(visible(name)) for name in ("from", "to", *named)
    )
    return Markup("<details><summary>The bins as a table</summary>{}{}</details>").format(
        _tabular(head, kept), _note(left, "bin")
    )


def _text(text: Text, room: int) -> Markup:
    return _pre(text.text.expandtabs(), room)


def _json(data: object, room: int) -> Markup:
    plain = msgspec.json.encode(printable(data), order="deterministic")
    return _pre(msgspec.json.format(plain, indent=2).decode("utf-8"), room)


def _pre(text: str, room: int) -> Markup:
    return Markup('<pre class="scroll" tabindex="0" role="group" aria-label="text, can be scrolled">{}</pre>').format(
        lines(clip(text, room))
    )


def _within(rows: Sequence[Sequence[object]], room: int) -> tuple[Sequence[Sequence[object]], int]:
    """The rows that fit, counting a few characters of markup for each cell, and how many are left out."""
    for kept, row in enumerate(rows):
        room -= sum(len(str(cell)) + 10 for cell in row)
        if room < 0:
            return rows[:kept], len(rows) - kept
    return rows, 0


def _note(left: int, noun: str) -> Markup:
    words = Markup('<p class="left-out">{:,} more {}{} in report.json.</p>')
    return words.format(left, noun, "" if left == 1 else "s") if left else Markup("")


def _whole(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


_DRAWERS: dict[str, tuple[type[Any] | None, Callable[[Any, int], Markup]]] = {
    "table": (Table, _table),
    "bars": (Bars, _bars),
    "histogram": (Histogram, _histogram),
    "text": (Text, _text),
}
