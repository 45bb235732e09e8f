"""A shape for each outcome and verdict, so that colour is never the only sign. Drawn on 16 by 16 units."""

from __future__ import annotations

from markupsafe import Markup

from audit.records.words import Verdict

_CIRCLE = '<circle class="face" cx="8" cy="8" r="7"/>'

_SHAPES = {
    "fail": '<path class="face" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z"/>'
    '<path class="mark" d="m5.4 5.4 5.2 5.2m0-5.2-5.2 5.2"/>',
    "error": '<path class="face" d="m8 .6 7.4 7.4L8 15.4.6 8z"/><path class="mark" d="M8 4.6v4m0 2.4v.1"/>',
    "warn": '<path class="face" d="M8 1.2 15.4 14.6H.6z"/><path class="mark" d="M8 6v4m0 2.2v.1"/>',
    "pass": f'{_CIRCLE}<path class="mark" d="m4.8 8.3 2.2 2.2 4.3-4.8"/>',
    "skip": '<circle class="ring" cx="8" cy="8" r="6.25"/><path class="ring" d="M5 8h6"/>',
    "incomplete": '<circle class="ring" cx="8" cy="8" r="6.25"/>'
    '<path class="face" d="M8 1.75a6.25 6.25 0 0 1 0 12.5z"/>',
}

ICONS = {name: Markup(shape) for name, shape in _SHAPES.items()}  # noqa: S704 - the constants above

_TAB_COLOURS = {Verdict.PASS: "#1b7f4b", Verdict.FAIL: "#c4281c", Verdict.INCOMPLETE: "#7b45b5"}


def favicon(verdict: Verdict) -> str:
    """The verdict's shape for the browser's tab, which has no style sheet: readable on light and dark."""
    colour = _TAB_COLOURS[verdict]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke-width="1.6" '
        f'stroke-linecap="round">{_SHAPES[verdict]}</svg>'.replace('class="face"', f'fill="{colour}"')
        .replace('class="mark"', 'stroke="#fff"')
        .replace('class="ring"', f'stroke="{colour}"')
    )
