"""Tables parted into splits: one table a split, several, or one whose column says it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from audit.errors import CannotLook
from audit.records.splits import MAX_SPLITS, Part, Share, joint, ordered
from audit.records.table import Column
from audit.records.text import nearest
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

SPLIT = "\0split"
"""The column that says which split a row belongs to: its place in `Splits.names`, null for none."""


class Piece:
    """One table: where it lies, and how its rows know their split."""

    def __init__(self, part: Part) -> None:
        self.split, self.path, self.table = part.split, part.path, Table(part.source)

    def column(self, name: str) -> Column:
        """The column of that name. Raises `CannotLook`, with the table and the nearest name, if there is none."""
        for one in self.table.columns:
            if one.name == name:
                return one
        raise CannotLook(
            f"{self.path} has no column {name!r}", hint=nearest(name, [one.name for one in self.table.columns])
        )


class Splits:
    """The pieces, and the names of the splits in their order: training, validation, test, others."""

    def __init__(self, parts: Sequence[Part], split_column: str = "") -> None:
        self.pieces = tuple(map(Piece, parts))
        self.split_column = split_column

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The splits' names. Raises `CannotLook` for fewer than two, or more than can be splits."""
        found = self._values() if self.split_column else dict.fromkeys(piece.split for piece in self.pieces)
        if len(found) > MAX_SPLITS:
            raise CannotLook(f"column {self.split_column!r} has {len(found):,} values: it tells no splits")
        if self.split_column and len(found) < 2:  # noqa: PLR2004 - two splits to compare
            raise CannotLook(f"column {self.split_column!r} tells {len(found)} split: there is nothing to compare")
        return tuple(ordered(found))

    def subject(self, name: str) -> str:
        """Where a split lies: the path of its first table, and its value in the split column."""
        if self.split_column:
            return joint(self.pieces[0].path, f"{self.split_column}={name}")
        return next(piece.path for piece in self.pieces if piece.split == name)

    def shares(self, sizes: Sequence[int]) -> tuple[Share, ...]:
        """The splits with their sizes, given in their order."""
        return tuple(
            Share(name=name, subject=self.subject(name), size=int(size))
            for name, size in zip(self.names, sizes, strict=True)
        )

    def code(self, piece: Piece) -> pl.Expr:
        """Which split each row of a piece belongs to, as its place in `names`; null for none."""
        import polars as pl

        if not self.split_column:
            return pl.lit(self.names.index(piece.split), dtype=pl.UInt8).alias(SPLIT)
        places = pl.Series(range(len(self.names)), dtype=pl.UInt8)
        said = _trimmed(self.split_column)
        return said.replace_strict(pl.Series(self.names), places, default=None).alias(SPLIT)

    def counted(self) -> tuple[tuple[int, ...], int]:
        """The rows of each split, and how many belong to none."""
        import polars as pl

        sizes: defaultdict[str | None, int] = defaultdict(int)
        for piece in self.pieces:
            if not self.split_column:
                sizes[piece.split] += piece.table.rows
                continue
            found = piece.table.frame.group_by(self.code(piece)).agg(pl.len().alias("n")).collect(engine="streaming")
            for code, rows in found.select(SPLIT, "n").iter_rows():
                sizes[None if code is None else self.names[code]] += rows
        return tuple(sizes[name] for name in self.names), sizes[None]

    def _values(self) -> list[str]:
        for piece in self.pieces:
            piece.column(self.split_column)
        values = [
            piece.table.frame.select(_trimmed(self.split_column).alias(SPLIT).unique().head(MAX_SPLITS * 4)).collect()
            for piece in self.pieces
        ]
        return sorted({value for frame in values for value in frame[SPLIT].to_list() if value})


def named(column: str) -> pl.Expr:
    """The column of exactly that name: `pl.col` takes `*` and what begins with `^` and ends with `$` for patterns."""
    from polars import selectors

    return selectors.by_name(column).as_expr()


def _trimmed(column: str) -> pl.Expr:
    import polars as pl

    return named(column).cast(pl.String).str.strip_chars()
