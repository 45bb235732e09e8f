"""Fills the template, and fits the page into the size that a browser opens in a blink."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable
from functools import partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from audit.records.report import Coverage, Report
from audit.sinks.html import text, words
from audit.sinks.html.exhibits import drawn
from audit.sinks.html.icons import ICONS, favicon
from audit.sinks.html.rules import FIRST, Room, arrange
from audit.sinks.html.tasks import tasks
from audit.sinks.text import size

BUDGET = 2_900_000
"""Bytes of a page; a little under the 3 MB that it must never exceed with 10,000 violations."""

_ROW = 100
"""Bytes that a violation takes at the least, whatever it says."""

_EVERY = 10**9
ROOMS = (
    Room(subject=4_096, text=2_000, rows=_EVERY, commands=_EVERY, exhibit=65_536),
    Room(subject=1_024, text=240, rows=_EVERY, commands=_EVERY, exhibit=16_384),
    Room(subject=256, text=80, rows=_EVERY, commands=2_000, exhibit=4_096),
    Room(subject=160, text=40, rows=_EVERY, commands=500, exhibit=1_024),
    Room(subject=160, text=40, rows=2_000, commands=100, exhibit=512),
    Room(subject=160, text=40, rows=200, commands=20, exhibit=256),
    Room(subject=120, text=40, rows=20, commands=20, exhibit=256),
)
"""From all there is to what surely opens; the first that fits is taken, else the last."""

COLUMNS = ("severity", "change", "message", "expected", "found", "waived")
MANY_FIGURES = 12
"""More than these of one rule fold away."""

WAIVER_RANK = {"expired": 0, "unused": 1, "active": 2}
"""What asks for attention first."""


def fitting(report: Report, beside: frozenset[str] = frozenset()) -> bytes:
    """The fullest page within the budget; what cannot fit is not tried, for a million rows take minutes to fill in."""
    kinds = Counter((result.rule, violation.kind) for result in report.results for violation in result.violations)
    *larger, smallest = ROOMS
    page = b""
    for room in (*(room for room in larger if _could_fit(kinds.values(), room)), smallest):
        page = fill(report, room, beside)
        if len(page) <= BUDGET:
            break
    return page


def _could_fit(counts: Iterable[int], room: Room) -> bool:
    return sum(min(count, room.rows) for count in counts) * _ROW <= BUDGET


def fill(report: Report, room: Room, beside: frozenset[str] = frozenset()) -> bytes:
    """The page with that much room, with links to the attachments beside it."""
    template = _environment(room).get_template("page.html")
    return template.render(_values(report, room), beside=beside).encode("utf-8")


def _values(report: Report, room: Room) -> dict[str, Any]:
    style, script = _asset("style.css"), _asset("script.js")
    rules = arrange(report, room)
    return {
        "again": words.again(report),
        "body": report.body,
        "changes": words.CHANGES,
        "columns": COLUMNS,
        "coverage": report.envelope.coverage,
        "coverage_bar": _coverage_bar(report.envelope.coverage),
        "envelope": report.envelope,
        "favicon": favicon(report.verdict),
        "first": FIRST,
        "left_out": sum(group.left_out for rule in rules for group in rule.groups),
        "many_figures": MANY_FIGURES,
        "meaning": words.meaning(report),
        "outcomes": words.OUTCOMES,
        "policy": _policy(style, script),
        "room": room,
        "rules": rules,
        "schema": report.schema,
        "script": Markup(script),  # noqa: S704 - our own file
        "style": Markup(style),  # noqa: S704 - our own file
        "tasks": tasks(rules),
        "triggers": words.TRIGGERS,
        "verdict": report.verdict,
        "waivers": sorted(report.body.waivers, key=lambda waiver: WAIVER_RANK.get(waiver.state, 0)),
    }


def _environment(room: Room) -> Environment:
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=text.shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["icons"] = ICONS
    environment.filters |= {
        "clip": text.clip,
        "count": text.count,
        "counts_bytes": text.counts_bytes,
        "drawn": partial(drawn, room=room.exhibit),
        "duration": text.duration,
        "lines": text.lines,
        "moment": text.moment,
        "number": text.number,
        "sentence": text.sentence,
        "size": size,
        "whole": text.whole,
    }
    return environment


def _asset(name: str) -> str:
    return files("audit.sinks.html").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing but this style and this script (Content Security Policy, level 3); images only from within."""
    return (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _source(code: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")


def _coverage_bar(coverage: Coverage) -> Markup:
    """Files as one bar: read, trusted, not looked at."""
    counts = (coverage.files_read, coverage.files_trusted, coverage.files_unread)
    scale = 1000 / (sum(counts) or 1)
    parts, start = Markup(), 0.0
    for name, many in zip(("read", "trusted", "unread"), counts, strict=True):
        part = Markup('<rect class="{}" x="{:.1f}" width="{:.1f}" height="10"/>')
        parts += part.format(name, start, many * scale)
        start += many * scale
    return Markup(
        '<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    ).format(parts)
