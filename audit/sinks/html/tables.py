"""Tables as markup: what all exhibits that have rows share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from audit.sinks.html.text import number, visible

_SHARES = 1 + 1e-6


def tabular(head: Markup, rows: Iterable[Sequence[object]]) -> Markup:
    """A table that scrolls by itself; a cell that is marked up stays as it is."""
    body = Markup("").join(Markup("<tr>{}").format(Markup("").join(map(cell, row))) for row in rows)
    return Markup(
        '<div class="scroll" tabindex="0" role="group" aria-label="table, can be scrolled"><table>'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(head, body)


def cell(value: object) -> Markup:
    """A value in its cell, numbers set to the end."""
    if isinstance(value, Markup):
        return Markup("<td>{}</td>").format(value)
    if isinstance(value, Share):
        return Markup('<td class="num">{}</td>').format(str(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Markup('<td class="num">{}</td>').format(number(value))
    return Markup("<td>{}</td>").format("" if value is None else visible(value))


def within(rows: Sequence[Sequence[object]], room: int) -> tuple[Sequence[Sequence[object]], int]:
    """The rows that fit, counting a few characters of markup for each cell, and how many are left out."""
    for kept, row in enumerate(rows):
        room -= sum(len(str(value)) + 10 for value in row)
        if room < 0:
            return rows[:kept], len(rows) - kept
    return rows, 0


def left_out(many: int, noun: str) -> Markup:
    """A word on rows that found no room."""
    words = Markup('<p class="left-out">{:,} more {}{} in report.json.</p>')
    return words.format(many, noun, "" if many == 1 else "s") if many else Markup("")


def shares(series: Iterable[Sequence[float]]) -> bool:
    """Whether these are shares: counts add up to more than one."""
    return all(sum(values) <= _SHARES for values in series)


class Share(float):
    """A share of one, which is shown in per cent."""

    def __str__(self) -> str:
        return f"{100 * self:.2f} %"


def whole(value: float) -> float | int:
    """The number without a decimal point where there is nothing behind it."""
    return int(value) if float(value).is_integer() else value
