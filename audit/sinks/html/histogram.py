"""Distributions as staircases over one axis, drawn over each other where there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from markupsafe import Markup

from audit.sinks.html.shapes import Histogram
from audit.sinks.html.tables import Share, left_out, shares, tabular, whole, within
from audit.sinks.html.text import number, visible

WIDTH = 1000
_HEIGHT = 200
_QUARTERS = 4
TIME = "us"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAYS = 3 * 24 * 3600 * 1e6


def histogram(shape: Histogram, room: int) -> Markup:
    """The outlines, an axis, a legend, and the bins as a table that unfolds."""
    named = shape.named()
    top = max(max(counts) for counts in named.values()) or 1
    peak = str(Share(top)) if shares(named.values()) else number(whole(top))
    outlines = Markup("").join(
        Markup('<path class="series s{}" d="{}"/>').format(place, _outline(shape.edges, counts, top))
        for place, counts in enumerate(named.values())
    )
    return Markup(
        '<div class="plot"><p class="peak">{}</p>'
        '<svg class="canvas" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
        "{}{}{}</div>"
    ).format(
        peak,
        WIDTH,
        _HEIGHT,
        outlines,
        _axis(shape),
        legend(named),
        _bins(shape, room),
    )


def _axis(shape: Histogram) -> Markup:
    """Five labels, or three times, in an SVG of its own that does not stretch them; and the unit."""
    low, high = shape.edges[0], shape.edges[-1]
    say, places = (_time(high - low), (0, 2, 4)) if shape.unit == TIME else ("{:.4g}".format, range(_QUARTERS + 1))
    ticks = Markup("").join(
        Markup('<text x="{}%" y="1em" text-anchor="{}">{}</text>').format(
            place * 25,
            "middle" if 0 < place < _QUARTERS else ("end" if place else "start"),
            say(low + (high - low) * place / _QUARTERS),
        )
        for place in places
    )
    unit = Markup('<p class="unit">{}</p>').format(visible(shape.unit)) if shape.unit not in {"", TIME} else ""
    return Markup('<svg class="axis" aria-hidden="true">{}</svg>{}').format(ticks, unit)


def _time(span: float) -> Callable[[float], str]:
    """How to say microseconds since 1970: the day, or the time of day too where all lies within a few days."""
    words = "%Y-%m-%d" if span > _DAYS else "%Y-%m-%d %H:%M:%S"

    def said(value: float) -> str:
        try:
            return f"{_EPOCH + timedelta(microseconds=value):{words}}"
        except OverflowError:
            return f"{value:.6g}"

    return said


def _outline(edges: Sequence[float], counts: Sequence[float], top: float) -> str:
    """A staircase from the floor over all bins and back to the floor."""
    scale = WIDTH / (edges[-1] - edges[0])
    steps = [f"M0 {_HEIGHT}"]
    for edge, count in zip(edges[1:], counts, strict=True):
        steps.append(f"V{_HEIGHT * (1 - count / top):.1f}H{(edge - edges[0]) * scale:.1f}")
    return "".join([*steps, f"V{_HEIGHT}"])


def legend(named: Iterable[str]) -> Markup:
    """The strokes of the series beside their names; nothing for the nameless one."""
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


def _edge(value: float) -> float | int:
    """With as many digits as tell the edges of some dozens of bins apart."""
    return whole(float(f"{value:.6g}"))


def _bins(shape: Histogram, room: int) -> Markup:
    named = shape.named()
    say = Share if shares(named.values()) else whole
    edge = _time(shape.edges[-1] - shape.edges[0]) if shape.unit == TIME else _edge
    rows = [
        (edge(low), edge(high), *map(say, counts))
        for (low, high), *counts in zip(pairwise(shape.edges), *named.values(), strict=True)
    ]
    kept, left = within(rows, room)
    head = Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(visible(name)) for name in ("from", "to", *named)
    )
    return Markup("<details><summary>The bins as a table</summary>{}{}</details>").format(
        tabular(head, kept), left_out(left, "bin")
    )
