"""How the rows of splits follow each other in time, and which of their windows overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.records.splits import AskTimes, Part, Span, TimePair, Times, pairs, rank
from audit.tables.splits.splits import SPLIT, Splits
from audit.tables.splits.time_values import Clock, clock

if TYPE_CHECKING:
    import polars as pl


class _Rows(NamedTuple):
    """The rows of all splits that have a time, as `start`, `end` and `by`; and the counts of those that have not."""

    frame: Any
    missing: dict[int, int]
    reversed: dict[int, int]
    sizes: dict[int | None, int]


def times(parts: Sequence[Part], split_column: str, wish: AskTimes) -> Times:
    """Compare each two splits in their order. Raises `CannotLook` where a column holds no times, or not alike ones."""
    splits = Splits(parts, split_column)
    time = clock(splits, wish)
    rows = _rows(splits, time, wish)
    windows = bool(wish.end or wish.window)
    unordered = tuple(name for name in splits.names if rank(name) is None) if split_column and not windows else ()
    compared = [code for code, name in enumerate(splits.names) if name not in unordered]
    compare = _overlapping if windows else _following
    return Times(
        spans=tuple(_span(splits, time, rows, code) for code in range(len(splits.names))),
        pairs=tuple(compare(splits, time, rows.frame, first, later) for first, later in pairs(compared)),
        unsplit=rows.sizes.get(None, 0),
        unordered=unordered,
    )


def _rows(splits: Splits, time: Clock, wish: AskTimes) -> _Rows:
    import polars as pl

    frame = pl.concat(
        [piece.table.frame.select(splits.code(piece), *time.columns(piece)) for piece in splits.pieces]
    ).collect(engine="streaming")
    sizes = _counted(frame)
    known = frame.filter(pl.col(SPLIT).is_not_null())
    known_time = pl.col("start").is_not_null() & pl.col("end").is_not_null() & pl.col("by").is_not_null()
    missing = _counted(known.filter(~known_time))
    timed = known.filter(known_time)
    backwards = pl.col("end") < pl.col("start") if wish.end else pl.lit(value=False)
    return _Rows(timed.filter(~backwards), missing, _counted(timed.filter(backwards)), sizes)


def _counted(frame: pl.DataFrame) -> dict[Any, int]:
    counts = frame.get_column(SPLIT).value_counts()
    return dict(zip(counts[SPLIT].to_list(), counts["count"].to_list(), strict=True))


def _span(splits: Splits, time: Clock, rows: _Rows, code: int) -> Span:
    import polars as pl

    own = rows.frame.filter(pl.col(SPLIT) == code)
    return Span(
        split=splits.names[code],
        subject=splits.subject(splits.names[code]),
        rows=rows.sizes.get(code, 0),
        first=time.text(own["start"].min()),
        last=time.text(own["end"].max()),
        missing=rows.missing.get(code, 0),
        reversed=rows.reversed.get(code, 0),
    )


def _following(splits: Splits, time: Clock, frame: pl.DataFrame, first: int, later: int) -> TimePair:
    """Rows of the later split that come before, at, or too shortly after the latest row of the earlier one."""
    import polars as pl

    latest = frame.filter(pl.col(SPLIT) == first).group_by("by").agg(pl.col("start").max().alias("latest"))
    joined = frame.filter(pl.col(SPLIT) == later).join(latest, on="by", how="left")
    behind = pl.col("start") - pl.col("latest")
    counts = joined.select(
        pl.len().alias("of"),
        (behind < 0).sum().alias("before"),
        (behind == 0).sum().alias("equal"),
        ((behind > 0) & (behind < time.gap)).sum().alias("close"),
    ).row(0, named=True)
    worst = joined.filter(behind.is_not_null()).group_by("by").agg(pl.col("start").min(), pl.col("latest").first())
    worst = worst.with_columns((pl.col("start") - pl.col("latest")).alias("behind")).sort("behind", "by").head(1)
    return TimePair(
        earlier=splits.names[first],
        later=splits.names[later],
        of=counts["of"],
        before=counts["before"],
        equal=counts["equal"],
        close=counts["close"],
        last=time.text(worst["latest"][0]) if worst.height else "",
        first=time.text(worst["start"][0]) if worst.height else "",
        series=worst["by"][0] if time.by and worst.height else None,
    )


def _overlapping(splits: Splits, time: Clock, frame: pl.DataFrame, first: int, later: int) -> TimePair:
    """Windows of the later split that share time with one of the earlier, or are less than the gap away from one.

    Of the earlier windows that begin by the end of a window, the one that ends last decides: if it
    ends before the window begins, all do.
    """
    own = _of(frame, later).sort("end")
    exact = _reached(own, _of(frame, first), 0, closed=time.closed)
    near = _reached(own, _of(frame, first), time.gap, closed=False) if time.gap else exact
    shared, close = own.filter(exact), own.filter(near & ~exact)
    example = shared if shared.height else close
    example = example.sort("start", "by").head(1)
    return TimePair(
        earlier=splits.names[first],
        later=splits.names[later],
        of=own.height,
        before=shared.height,
        close=close.height,
        first=f"{time.text(example['start'][0])} to {time.text(example['end'][0])}" if example.height else "",
        series=example["by"][0] if time.by and example.height else None,
    )


def _of(frame: pl.DataFrame, code: int) -> pl.DataFrame:
    import polars as pl

    return frame.filter(pl.col(SPLIT) == code).select("start", "end", "by")


def _reached(own: pl.DataFrame, others: pl.DataFrame, gap: float, *, closed: bool) -> pl.Series:
    """For each window, sorted by its end, whether one of the others is less than `gap` away, or overlaps it."""
    import polars as pl

    reach = others.sort("start").select(
        pl.col("by"), pl.col("start").alias("key"), pl.col("end").cum_max().over("by").alias("reach")
    )
    asked = own.select(pl.col("by"), (pl.col("end") + gap).alias("key"), (pl.col("start") - gap).alias("from"))
    joined = asked.join_asof(
        reach, on="key", by="by", strategy="backward", allow_exact_matches=closed, check_sortedness=False
    )
    hit = pl.col("reach") >= pl.col("from") if closed else pl.col("reach") > pl.col("from")
    return joined.select(hit.fill_null(value=False))["reach"]
