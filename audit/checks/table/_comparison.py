"""What a comparison report of ydata-profiling adds to a rule: the page, and what it points at, as notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from audit.records.comparison import Alert, Compared
from audit.records.findings import Attachment, Caution, Figure, Finding, Violation
from audit.records.words import Severity

_MOST = 200
"""Notes of one page; all of them are on it."""


def _share(value: float) -> str:
    return f"{100 * value:.4g} %"


_SAID: dict[str, tuple[str, Callable[[float], str]]] = {
    "constant": ("has one value alone", str),
    "high-cardinality": ("has very many levels", lambda value: f"{value:,.0f}"),
    "imbalance": ("is unbalanced (0 is even, 1 is one level alone)", str),
    "infinite": ("is infinite", _share),
    "missing": ("is missing", _share),
    "skewed": ("is skewed", str),
    "zeros": ("is zero", _share),
}


def missing(why: str) -> Caution:
    """That there is no page."""
    return Caution(text=f"no profile was written: {why}")


def attached(made: Compared) -> Iterator[Finding]:
    """The page and what it points at, or why there is none."""
    if made.trouble:
        yield missing(made.trouble)
        return
    yield Attachment(name="profile.html", title=_title(made), media="text/html", path=made.path)
    yield Figure(name="profile_alerts", value=len(made.alerts))
    for alert in made.alerts[:_MOST]:
        yield _note(alert, made)


def _title(made: Compared) -> str:
    total = made.columns + made.left_out
    columns = f"{made.columns:,} columns" if not made.left_out else f"{made.columns:,} of {total:,} columns"
    (one, other), (some, others) = made.names, made.rows
    return f"Profile of {one} ({some:,} rows) and {other} ({others:,} rows), {columns}"


def _note(alert: Alert, made: Compared) -> Violation:
    """Told of the current table, unless it is only so in the reference."""
    said, shown = _SAID[alert.kind]
    at = (
        f"{made.names[side]}{'' if value is None else ' ' + shown(value)}"
        for side, value in zip(alert.sides, alert.values, strict=True)
    )
    return Violation(
        subject=f"{made.paths[alert.sides[-1]]}#{alert.column}",
        kind=f"profile-{alert.kind}",
        severity=Severity.NOTE,
        message=f"{said}: {', '.join(at)} (of the rows that were profiled)",
    )
