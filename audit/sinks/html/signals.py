"""Clips over time, and sheets of small pictures; their pixels were drawn by us, and are passed on only as such."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from audit.sinks.html.shapes import PERCENT, Clip, Picture, Pictures
from audit.sinks.html.tables import left_out
from audit.sinks.html.text import clip, count, duration, number, visible

_STROKE = 16
"""Characters of the markup of one part of a waveform."""

_TICKS = 5
_FREE = 0.85
"""Of the axis; the rest is for its end."""

_CAPTION = 300
_PLACE = 120
"""Characters of the markup around a picture."""

_KILO = 1000


def over_time(shape: Clip, room: int) -> Markup:
    """The waveform over the spectrogram, along one axis of time, as far as there is room for both."""
    wave, spectrogram = _STROKE * len(shape.low), len(shape.spectrogram)
    parts = [_wave(shape)] if wave <= room else []
    parts += [_spectrogram(shape)] if wave + spectrogram <= room else []
    axis = Markup('<svg class="axis" aria-hidden="true">{}</svg>').format(_ticks(shape.seconds))
    return Markup('<p class="reason">{}</p><div class="clip">{}</div><p class="quiet shown">{}</p>{}').format(
        visible(clip(shape.reason, _CAPTION)),
        Markup("").join([*parts, axis] if parts else []),
        _said(shape),
        left_out(2 - len(parts), "picture"),
    )


def _wave(shape: Clip) -> Markup:
    """A stroke from the least to the greatest sample of each part, and one from top to bottom where it is clipped."""
    ranges = enumerate(zip(shape.low, shape.high, strict=True))
    strokes = "".join(f"M{at}.5 {-high}V{-low}" for at, (low, high) in ranges)
    flat = "".join(f"M{at}.5 {-PERCENT}V{PERCENT}" for at in shape.clipped)
    return Markup(
        '<span class="scale" aria-hidden="true"><b>{:.3g}</b><b>0</b><b>{:.3g}</b></span>'
        '<svg class="wave" viewBox="0 {} {columns} {}" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<path class="zero" d="M0 0H{columns}"/><path class="strokes" d="{}"/><path class="flat" d="{}"/></svg>'
    ).format(
        max(1.0, shape.peak),
        -max(1.0, shape.peak),
        -PERCENT,
        2 * PERCENT,
        f"Waveform of {visible(shape.path)}: {_stored(shape)}",
        strokes,
        flat,
        columns=len(shape.low),
    )


def _spectrogram(shape: Clip) -> Markup:
    """The picture as high as its share of the band; what its samples cannot hold is hatched above it."""
    own = shape.sample_rate_hz / 2
    top = 100 * (1 - own / shape.band_hz)
    beyond = Markup('<rect class="beyond" width="100%" height="{:.1f}%"/>').format(top) if own < shape.band_hz else ""
    return Markup(
        '<span class="scale" aria-hidden="true"><b>{}</b><b>{}</b><b>0 Hz</b></span>'
        '<svg class="spectrogram" role="img" aria-label="{}">{}<image href="data:image/png;base64,{}" '
        'y="{:.1f}%" width="100%" height="{:.1f}%" preserveAspectRatio="none"/></svg>'
    ).format(
        _kilohertz(shape.band_hz),
        _kilohertz(shape.band_hz / 2),
        f"Spectrogram of {visible(shape.path)}, from 0 to {_kilohertz(own)}",
        beyond,
        shape.spectrogram,
        top,
        100 - top,
    )


def _kilohertz(hertz: float) -> str:
    return f"{hertz:g} Hz" if hertz < _KILO else f"{hertz / _KILO:g} kHz"


def _ticks(seconds: float) -> Markup:
    """Round times below the axis, and the last with its unit."""
    step = 10 ** math.floor(math.log10(seconds / 2))
    step *= next(one for one in (1, 2, 5, 10) if seconds <= _TICKS * one * step)
    rounds = (place * step for place in range(_TICKS) if place * step < _FREE * seconds)
    inner = Markup("").join(
        Markup('<text x="{:.2f}%" y="1em" text-anchor="{}">{:.6g}</text>').format(
            100 * time / seconds, "middle" if time else "start", time
        )
        for time in rounds
    )
    return inner + Markup('<text x="100%" y="1em" text-anchor="end">{:.3g} s</text>').format(seconds)


def _stored(shape: Clip) -> str:
    seconds = duration(shape.seconds)
    channels = count(shape.channels, "channel")
    return f"{number(shape.sample_rate_hz)} Hz, {channels}, {seconds if shape.whole else f'the first {seconds}'}"


def _said(shape: Clip) -> str:
    """How it is stored, and what the picture cannot say by itself."""
    level = f"peak {20 * math.log10(shape.peak):.1f} dBFS" if shape.peak else "silent"
    parts = [_stored(shape), level]
    if shape.clipped:
        parts.append("clipped where it is marked")
    if shape.sample_rate_hz / 2 < shape.band_hz:
        parts.append(f"nothing above {_kilohertz(shape.sample_rate_hz / 2)} (hatched)")
    return ", ".join(parts)


def sheet(some: Pictures, room: int) -> Markup:
    """The pictures with what is wrong with each, as many as there is room for."""
    kept = list(_within(some.pictures, room))
    items = Markup("").join(map(_picture, kept))
    return Markup('<ul class="sheet">{}</ul>{}').format(items, left_out(len(some.pictures) - len(kept), "picture"))


def _within(some: Sequence[Picture], room: int) -> Iterable[Picture]:
    for one in some:
        room -= len(one.jpeg) + len(one.path) + len(one.reason) + _PLACE
        if room < 0:
            return
        yield one


def _picture(one: Picture) -> Markup:
    path, reason = visible(clip(one.path, _CAPTION)), visible(clip(one.reason, _CAPTION))
    if one.jpeg:
        shown = Markup('<img src="data:image/jpeg;base64,{}" width="{}" height="{}" alt="{}">').format(
            one.jpeg, one.width, one.height, f"{path}, made small{', as far as it can be decoded' if one.cut else ''}"
        )
    else:
        shown = Markup('<span class="no-picture">nothing of it can be shown</span>')
    return Markup("<li><span>{}</span><code>{}</code><small>{}</small>").format(shown, path, reason)
