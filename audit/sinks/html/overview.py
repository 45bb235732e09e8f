"""The columns of two tables in one table that can be sorted, worst first, with a small picture of each.

A wide table comes in several exhibits, for each is bounded; here they are one again.
It is a plain table: the page's script makes its heads into buttons, and its rows are
found by the page's search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
from markupsafe import Markup

from audit.records.findings import Exhibit
from audit.sinks.html.icons import ICONS
from audit.sinks.html.shapes import SKETCH_TOP, ColumnRow, Columns
from audit.sinks.html.tables import left_out
from audit.sinks.html.text import clip, count, visible

OUTCOMES = {"drift": "fail", "insufficient": "warn", "not compared": "skip"}
"""What became of a column, as a rule may say it, by the outcome whose sign it gets."""

_RANK = {"fail": 0, "error": 1, "warn": 2, "": 3, "pass": 4, "skip": 5}
_NAME = 200
"""Characters of the longest name that is shown."""

_ROW = 60
"""Characters of a row beside its name: its numbers and its picture."""

_NOTHING = "\N{EN DASH}"
_CALM = ("pass", "skip", "")
_LEAST = 0.0001
"""Below it a number is shown by its power of ten."""

_TITLES = {
    "effect": "how far the two distributions are apart",
    "tolerance": "the most that the rule allows",
    "chance": "the adjusted p-value: how often chance alone would set them as far apart",
    "detectable": "the effect that so many rows would find in 80 of 100 cases",
}


def merged(exhibits: Sequence[Exhibit]) -> Iterator[tuple[Exhibit, int]]:
    """The exhibits in their order, those in a row that hold columns of the same two tables as one of so many parts."""
    for names, group in groupby(exhibits, key=_names):
        some = list(group)
        if names is None or len(some) == 1:
            yield from ((one, 1) for one in some)
        else:
            rows = [row for one in some for row in one.data["rows"]]
            yield msgspec.structs.replace(some[0], data={"names": list(names), "rows": rows}), len(some)


def _names(exhibit: Exhibit) -> tuple[str, ...] | None:
    """The two tables whose columns the exhibit holds, if that is what it does."""
    if exhibit.type != "columns":
        return None
    try:
        return tuple(msgspec.convert(exhibit.data, Columns).names)
    except msgspec.ValidationError:
        return None


def overview(columns: Columns, room: int) -> Markup:
    """The table, with a legend of its pictures."""
    kept, left = _within(sorted(columns.rows, key=_worst_first), room)
    reference, current = map(visible, columns.names)
    return Markup(
        "{}"
        '<div class="scroll" tabindex="0" role="group" aria-label="columns, can be scrolled">'
        '<table class="overview"><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
        '<p class="quiet shown" role="status">{}</p>{}'
    ).format(
        _legend(reference, current),
        _head(reference, current),
        Markup("\n").join(map(_row, kept)),
        count(len(kept), "column"),
        left_out(left, "column"),
    )


def sign(outcome: str) -> str:
    """The outcome whose sign a column gets; none for a word that is not known."""
    return OUTCOMES.get(outcome, outcome if outcome in _RANK else "")


def _worst_first(row: ColumnRow) -> tuple[int, float, str]:
    effect = row.effect or 0.0
    return _RANK[sign(row.outcome)], -(effect / row.tolerance if row.tolerance else effect), row.column


def _within(rows: Sequence[ColumnRow], room: int) -> tuple[Sequence[ColumnRow], int]:
    for kept, row in enumerate(rows):
        room -= min(len(row.column), _NAME) + _ROW
        if room < 0:
            return rows[:kept], len(rows) - kept
    return rows, 0


def _legend(reference: str, current: str) -> Markup:
    one = Markup(
        '<span><svg viewBox="0 0 24 10" aria-hidden="true"><path class="k{}" d="M1 10V2H23V10"/></svg>{}</span>'
    )
    return Markup('<p class="legend">{} {}</p>').format(one.format(0, reference), one.format(1, current))


def _head(reference: str, current: str) -> Markup:
    """Heads by which the page's script can sort carry how their column is sorted."""
    plain = Markup('<th scope="col" data-sort="{}"{}>{}</th>')
    about = Markup(' class="num" title="{}"')
    return Markup("").join(
        (
            plain.format("text", "", "column"),
            Markup('<th scope="col"><span class="unseen">picture</span></th>'),
            plain.format("rank", Markup(' aria-sort="descending"'), "outcome"),
            plain.format("number", about.format(_TITLES["effect"]), "effect"),
            plain.format("number", about.format(_TITLES["tolerance"]), "tolerance"),
            plain.format("number", about.format(_TITLES["chance"]), "p"),
            plain.format("number", about.format(_TITLES["detectable"]), "could find"),
            plain.format("number", Markup(' class="num"'), f"missing in {reference}"),
            plain.format("number", Markup(' class="num"'), f"in {current}"),
        )
    )


def _row(row: ColumnRow) -> Markup:
    """One of perhaps a thousand, so without the end tags that HTML lets one leave out."""
    number = Markup("<td class=num>{}")
    return Markup(
        "<tr><th scope=row><code>{}</code> <small>{}</small><td>{}<td data-rank={}>{}<td class=num>{}{}{}{}{}{}"
    ).format(
        visible(clip(row.column, _NAME)),
        visible(clip(row.kind, _NAME)),
        _picture(row),
        _RANK[sign(row.outcome)],
        _outcome(row.outcome),
        _effect(row),
        number.format(_figure(row.tolerance)),
        number.format(_figure(row.chance, 2)),
        number.format(_figure(row.detectable)),
        number.format(_share(row.missing_reference)),
        number.format(_share(row.missing_current)),
    )


def _picture(row: ColumnRow) -> Markup:
    """The reference as an area, the current as a line over it."""
    sketches = (row.sketch_reference, row.sketch_current)
    paths = Markup("").join(
        Markup('<path class=k{} d="{}"/>').format(place, _staircase(sketch))
        for place, sketch in enumerate(sketches)
        if sketch
    )
    bins = max((len(sketch) for sketch in sketches if sketch), default=1)
    size = Markup('<svg class=sketch viewBox="0 -4 {} {}" preserveAspectRatio=none aria-hidden=true>{}</svg>')
    return size.format(bins, SKETCH_TOP + 5, paths) if paths else Markup("")


def _staircase(heights: Sequence[int]) -> str:
    return f"M0,{SKETCH_TOP}" + "".join(f"V{SKETCH_TOP - height}h1" for height in heights) + f"V{SKETCH_TOP}"


def _outcome(outcome: str) -> Markup:
    """The word, with a sign where a person should look: a sign in each of a thousand rows would only cost time."""
    known = sign(outcome)
    icon = Markup('<svg class=icon viewBox="0 0 16 16" aria-hidden=true>{}</svg>').format(ICONS.get(known, ""))
    shown = icon if known not in _CALM else ""
    return Markup('<span class="outcome {}">{}{}</span>').format(known, shown, visible(clip(outcome, _NAME)))


def _effect(row: ColumnRow) -> Markup:
    return Markup("{} <small>{}</small>").format(_figure(row.effect), visible(clip(row.measure, _NAME)))


def _figure(value: float | None, digits: int = 3) -> str:
    """Three digits are what an effect is worth; a p-value below what matters is said to be below it."""
    if value is None:
        return _NOTHING
    return f"{value:.{digits}g}" if value == 0 or abs(value) >= _LEAST else f"{value:.0e}"


def _share(value: float | None) -> str:
    return _NOTHING if value is None else f"{100 * value:.1f} %"
