"""A column against a profile of the reference: effects on its bins and levels, and how far they may be off.

For a reference that is recorded in `audit.lock`, and for columns that are larger than memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from audit.measures import jensen_shannon, ks, psi, shares
from audit.records.drift import Drawing, Levels, Pair, PairKind, Side, Test
from audit.records.profile import ColumnProfile, TableProfile
from audit.records.table import Column, ColumnType
from audit.tables.pair import sketch
from audit.tables.pair.columns import Task
from audit.tables.pair.gaps import gaps, with_gaps
from audit.tables.pair.levels import FEWEST_NAMES, MOST_DISTINCT, SEED, Found
from audit.tables.pair.numbers import FEWEST_IDENTIFIERS, are_crowded
from audit.tables.pair.values import Rows
from audit.tables.profile.binned import counts, level_counts
from audit.tables.table import Table
from audit.tables.values import Streamed

if TYPE_CHECKING:
    import numpy as np

_DECILES = 10
_MICROSECONDS = 1e6  # in a second, which bins of times count
_UNKNOWN = "too few of its values for bins are in the profile; only what is missing is compared"


class Binned(NamedTuple):
    """Rows of both sides in the same ascending bins; `inner` are bins inside of which values may still differ."""

    a: np.ndarray
    b: np.ndarray
    inner: np.ndarray
    edges: np.ndarray


def against(task: Task, reference: TableProfile, current: Table, below: float) -> Found:
    """The column of the current table against its profile; `below` is the strictest level of a test."""
    recorded = reference.column(task.column)
    if recorded is None:
        raise LookupError(task.column)
    if task.kind == "number" and not task.asked and _numbers_rows(recorded):
        return Found(
            _gaps_alone(task, recorded, current, "it looks like an identifier: whole numbers, no two the same")
        )
    if task.kind in {"number", "time"}:
        return Found(_of_numbers(task, recorded, current))
    if task.kind == "category" and recorded.column.type is not ColumnType.NULL and not _is_text(recorded):
        return _of_levels(task, recorded, current, reference.salt, below)
    return Found(_gaps_alone(task, recorded, current, "only what is missing can be compared with a profile"))


def _of_numbers(task: Task, recorded: ColumnProfile, current: Table) -> Pair:
    import numpy as np

    edges = recorded.bins.edges if recorded.bins else ()
    now = counts(current, task.column, edges)
    a, b = (Rows(one.rows, one.missing, one.nan) for one in (recorded, now))
    pair = Pair(
        column=task.column,
        kind=task.kind,
        reference=_side(recorded),
        current=_side(now),
        tests=gaps(a, b),
        binned=True,
        note="" if recorded.bins else _UNKNOWN,
    )
    if recorded.bins is None or now.bins is None:
        return pair
    x, y = _with_infinite(recorded, recorded.bins.counts), _with_infinite(now, now.bins.counts)
    inner = np.array([False, *_inner(recorded.column, edges), False])
    return _measured(pair, Binned(x, y, inner, np.array(edges)), a, b)


def _measured(pair: Pair, both: Binned, a: Rows, b: Rows) -> Pair:
    if not both.a.sum() or not both.b.sum():
        return pair
    p, q = _deciles(both)
    drawing = _drawing(pair, both)
    heights = sketch.heights(*(_coarse(side) for side in (drawing.reference, drawing.current))) if drawing else ((), ())
    return replace(
        pair,
        tests=(_distance(both), *pair.tests),
        psi=psi.psi(p, q),
        psi_missing=with_gaps(a, b, p, q),
        jensen_shannon=jensen_shannon.distance(p, q),
        drawing=drawing,
        reference=replace(pair.reference, sketch=heights[0]),
        current=replace(pair.current, sketch=heights[1]),
        disjoint=_disjoint(both) if pair.kind == "time" else "",
    )


def _distance(both: Binned) -> Test:
    """D at the edges, which the values' D is never below; `error` is how much above it may be.

    Inside of a bin F lies between its values at both ends, so that |F - G| is at most what one side has
    gained by the end less what the other had at the start.
    """
    import numpy as np

    n, m = int(both.a.sum()), int(both.b.sum())
    d = ks.statistic_of_counts(both.a, both.b)
    f, g = np.cumsum(both.a) / n, np.cumsum(both.b) / m
    most = np.maximum(f - (g - both.b / m), g - (f - both.a / n))[both.inner].max(initial=0.0)
    sizes = (n, m)
    error = max(0.0, float(most) - d)
    return Test(name="ks", effect=d, p=ks.p_value(d, n, m), how="binned", sizes=sizes, error=error)


def _with_infinite(profile: ColumnProfile, rows: tuple[int, ...]) -> np.ndarray:
    """The bins with the infinite values in bins of their own at both ends."""
    import numpy as np

    low = profile.negative_infinite
    return np.array([low, *rows, profile.infinite - low], np.int64)


def _inner(column: Column, edges: tuple[float, ...]) -> list[bool]:
    """Which bins have room for more than one value: the outer ones, and those between edges that are apart."""
    import numpy as np

    if not edges:
        return [True]
    at = np.array(edges)
    if column.type is ColumnType.INTEGER:
        room = np.ceil(at[1:]) - np.ceil(at[:-1]) > 1
    else:
        room = np.nextafter(at[:-1], np.inf) < at[1:]
    return [True, *room.tolist(), True]


def _deciles(both: Binned) -> tuple[np.ndarray, np.ndarray]:
    """Bins joined to about a tenth of the reference each."""
    import numpy as np

    ends = np.cumsum(both.a) / both.a.sum()
    cuts = np.unique(np.searchsorted(ends, np.arange(1, _DECILES) / _DECILES - 1e-12) + 1)
    cuts = cuts[cuts < len(both.a)]
    starts = np.concatenate([[0], cuts])
    return np.add.reduceat(both.a, starts), np.add.reduceat(both.b, starts)


def _drawing(pair: Pair, both: Binned) -> Drawing | None:
    """Rows spread evenly over their bins, and drawn over bins of equal width; the outer ones hold all beyond."""
    import numpy as np

    if len(both.edges) <= 1:
        return None
    edges = np.linspace(both.edges[0], both.edges[-1], sketch.BINS + 1)
    scale = _MICROSECONDS if pair.kind == "time" else 1.0
    if not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        return None
    drawn = []
    for rows in (both.a, both.b):
        until = np.cumsum(rows)[1:-2] / rows.sum()
        at = np.interp(edges[1:-1], both.edges, until)
        drawn.append(tuple(float(f"{share:.6g}") for share in np.diff(at, prepend=0.0, append=1.0)))
    return Drawing(reference=drawn[0], current=drawn[1], edges=tuple(map(float, edges * scale)))


def _coarse(shares_: tuple[float, ...]) -> tuple[float, ...]:
    """The heights of a sketch from the bins of a drawing."""
    import numpy as np

    parts = np.array_split(np.array(shares_), sketch.HEIGHTS)
    return tuple(float(part.mean()) for part in parts)


def _disjoint(both: Binned) -> str:
    """Times that are all beyond the last edge, or before the first: as far as bins tell."""
    m = both.b.sum()
    return "after" if both.b[-2] == m else "before" if both.b[1] == m else ""


def _of_levels(task: Task, recorded: ColumnProfile, current: Table, salt: str, below: float) -> Found:
    import numpy as np

    names = [level.value for level in recorded.levels]
    now = level_counts(current, task.column, names, salt)
    x = np.array([*(level.rows for level in recorded.levels), recorded.tail_rows], np.int64)
    y = np.array([*now.counts, now.other_rows], np.int64)
    a, b = Rows(recorded.rows, recorded.missing, 0), Rows(now.rows, now.missing, 0)
    labels = [f"level {place}" for place in range(1, len(names) + 1)] if salt else names
    drawing, low, high = sketch.of_levels([*labels, "rare levels"], x, y)
    both = bool(x.sum() and y.sum())
    unseen = Levels() if recorded.tail_levels else Levels(count=now.other_levels, rows=now.other_rows, of=now.rows)
    gone = [place for place in np.flatnonzero((y == 0) & (x > 0)).tolist() if place < len(names)]
    pair = Pair(
        column=task.column,
        kind="category",
        reference=replace(_side(recorded), sketch=low),
        current=Side(rows=now.rows, missing=now.missing, sketch=high),
        tests=(*((_mix(x, y, below),) if both else ()), *gaps(a, b)),
        psi=psi.psi(x, y) if both else None,
        psi_missing=with_gaps(a, b, x, y),
        jensen_shannon=jensen_shannon.distance(x, y) if both else None,
        unseen=unseen,
        vanished=Levels(count=len(gone), rows=int(x[gone].sum()), of=recorded.rows),
        drawing=drawing,
        binned=True,
    )
    return Found(pair, x + y)


def _mix(x: np.ndarray, y: np.ndarray, below: float) -> Test:
    """Rare levels count as one; were they all others than before, they would add the smaller of both shares."""
    n, m = int(x.sum()), int(y.sum())
    p, how = shares.p_value(x, y, below=below, seed=SEED)
    error = min(int(x[-1]) / n, int(y[-1]) / m)
    effect = shares.total_variation(x, y)
    return Test(name="total_variation", effect=effect, p=p, how=how, sizes=(n, m), error=error)


def _gaps_alone(task: Task, recorded: ColumnProfile, current: Table, note: str) -> Pair:
    kinds: dict[str, PairKind] = {"category": "text", "number": "identifier"}
    missing = sum(batch.null_count() for batch in Streamed(current, task.column).batches())
    rows = current.rows
    a, b = Rows(recorded.rows, recorded.missing, recorded.nan), Rows(rows, missing, 0)
    return Pair(
        column=task.column,
        kind=kinds.get(task.kind, "opaque"),
        reference=_side(recorded),
        current=Side(rows=rows, missing=missing),
        tests=gaps(a, b),
        note=note,
        binned=True,
    )


def _numbers_rows(recorded: ColumnProfile) -> bool:
    """As far as a profile tells: all differ, though their range is narrow."""
    n, edges = recorded.finite, recorded.bins.edges if recorded.bins else ()
    if recorded.column.type is not ColumnType.INTEGER or n < FEWEST_IDENTIFIERS or recorded.distinct != n:
        return False
    return not edges or are_crowded(n, max(1, int(edges[-1] - edges[0])))


def _is_text(recorded: ColumnProfile) -> bool:
    words = recorded.rows - recorded.missing
    return recorded.distinct is not None and recorded.distinct > max(FEWEST_NAMES, MOST_DISTINCT * words)


def _side(profile: ColumnProfile) -> Side:
    is_time = bool(profile.earliest)
    return Side(
        rows=profile.rows,
        missing=profile.missing,
        nan=profile.nan,
        infinite=profile.infinite,
        distinct=profile.distinct,
        low=profile.earliest if is_time else _plain(profile.minimum),
        high=profile.latest if is_time else _plain(profile.maximum),
        mean=profile.mean,
        sd=profile.deviation,
    )


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)
