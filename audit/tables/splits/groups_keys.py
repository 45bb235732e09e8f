"""Keys of records, and the splits that they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.records.splits import AskKeys, Keys, Part
from audit.tables.splits.groups import identity
from audit.tables.splits.splits import SPLIT, Piece, Splits

if TYPE_CHECKING:
    import polars as pl

_FIRST = 20


def keys(parts: Sequence[Part], split_column: str, wish: AskKeys) -> Keys:
    """Count the keys of each split, and hold them against `whole`. Raises `CannotLook` without such a column."""
    import polars as pl

    splits = Splits(parts, split_column)
    frames = [
        piece.table.frame.select(splits.code(piece), identity(piece.column(wish.column))) for piece in splits.pieces
    ]
    found = pl.concat(frames).group_by(SPLIT, "id").agg(pl.len().alias("n")).collect(engine="streaming")
    inside = found.filter(pl.col(SPLIT).is_not_null())
    known = inside.filter(pl.col("id").is_not_null())
    whole = _whole(wish)
    several = known.group_by("id").agg(pl.col(SPLIT)).filter(pl.col(SPLIT).list.len() > 1)
    everything = found if split_column and whole is None else None
    uncovered = _uncovered(everything, known) if whole is None else whole.join(known, on="id", how="anti")
    unknown = known.join(whole, on="id", how="anti") if whole is not None else known.clear()
    return Keys(
        splits=splits.shares([_sum(inside.filter(pl.col(SPLIT) == code)) for code in range(len(splits.names))]),
        whole=whole.height if whole is not None else known["id"].n_unique() + uncovered.height,
        uncovered=uncovered.height,
        uncovered_first=_first(uncovered),
        several=several.height,
        several_first=tuple(_several(splits, several)),
        unknown=tuple(_by_split(splits, unknown)),
        repeated=tuple(_by_split(splits, known.filter(pl.col("n") > 1))),
        missing=tuple(
            (splits.names[code], count)
            for code, count in sorted(inside.filter(pl.col("id").is_null()).select(SPLIT, "n").iter_rows())
        ),
        unsplit=_sum(found) - _sum(inside),
    )


def _whole(wish: AskKeys) -> pl.DataFrame | None:
    if wish.whole is None:
        return None
    import polars as pl

    piece = Piece(wish.whole)
    ids = piece.table.frame.select(identity(piece.column(wish.column))).unique().collect(engine="streaming")
    return ids.filter(pl.col("id").is_not_null())


def _uncovered(everything: pl.DataFrame | None, known: pl.DataFrame) -> pl.DataFrame:
    """Keys that only rows without a split have."""
    if everything is None:
        return known.clear()
    return everything.filter(everything["id"].is_not_null()).join(known, on="id", how="anti").unique("id")


def _sum(counts: pl.DataFrame) -> int:
    return int(counts["n"].sum())


def _first(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(frame["id"].sort().head(_FIRST).to_list())


def _several(splits: Splits, several: pl.DataFrame) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, codes in several.sort("id").head(_FIRST).iter_rows():
        yield name, tuple(splits.names[code] for code in sorted(codes))


def _by_split(splits: Splits, frame: pl.DataFrame) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    import polars as pl

    for code, name in enumerate(splits.names):
        own = frame.filter(pl.col(SPLIT) == code)
        if own.height:
            yield name, own.height, _first(own)
