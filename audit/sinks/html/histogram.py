"""Distributions as staircases over one axis, drawn over each other where there are several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup

from audit.sinks.html.shapes import Histogram
from audit.sinks.html.tables import Share, left_out, shares, tabular, whole, within
from audit.sinks.html.text import number, visible

WIDTH = 1000
_HEIGHT = 200
_QUARTERS = 4


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
        _axis(shape.edges[0], shape.edges[-1]),
        legend(named),
        _bins(shape, room),
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
    rows = [
        (_edge(low), _edge(high), *map(say, counts))
        for (low, high), *counts in zip(pairwise(shape.edges), *named.values(), strict=True)
    ]
    kept, left = within(rows, room)
    head = Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(visible(name)) for name in ("from", "to", *named)
    )
    return Markup("<details><summary>The bins as a table</summary>{}{}</details>").format(
        tabular(head, kept), left_out(left, "bin")
    )
