"""Rows that are equal in all compared columns, within and across splits.

Each row gets a 64-bit hash of its values; rows with equal hashes are candidates, and
are then compared value by value, one column at a time. So the answer depends on no
hash: equal values have equal hashes, and unequal ones are told apart by the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from audit.errors import CannotLook
from audit.records.splits import COINCIDENCE, AskOverlap, Overlap, Pair, Part, Place, Same, Within, pairs
from audit.tables.splits.canonical import canonical
from audit.tables.splits.overlap_chance import coincidences
from audit.tables.splits.overlap_ids import Ids, identifiers
from audit.tables.splits.splits import SPLIT, Splits

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

_SEED = 0x5EED
_ODD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: an odd factor that spreads bits (Knuth, The Art of Computer Programming 3, 6.4)."""
_FIRST = 20
_MEMBERS = 6
_NONE = 255


class _Grouped(NamedTuple):
    """Rows that have an equal: their group, their split, and their place among the rows of all pieces."""

    group: Any
    code: Any
    place: Any
    groups: int


def overlap(parts: Sequence[Part], split_column: str, wish: AskOverlap) -> Overlap:
    """Find equal rows. Raises `CannotLook` where the tables have no columns to compare.

    Columns that number the rows are left out, unless what is then equal is so by chance
    while some rows are equal in these too.
    """
    splits = Splits(parts, split_column)
    columns, apart = _columns(splits, wish)
    ids = identifiers(splits, columns) if not wish.columns else Ids((), ())
    rest = [name for name in columns if name not in ids.numbers]
    found = _found(splits, rest or columns)
    if rest and ids.numbers and found.pairs and all(pair.chance >= COINCIDENCE * pair.members for pair in found.pairs):
        whole = _found(splits, columns)
        found = whole if whole.pairs else found
    left_out = tuple(name for name in ids.numbers if name not in found.columns)
    return replace(found, apart=tuple(apart), numbers=left_out, distinct=ids.distinct)


def _found(splits: Splits, columns: Sequence[str]) -> Overlap:
    import numpy as np

    values, unlike = canonical(splits.pieces, columns)
    hashes, codes, starts = _hashed(splits, values)
    grouped = _grouped(splits, values, hashes, codes, starts)
    counts = [np.bincount(grouped.group[grouped.code == code], minlength=grouped.groups) for code in _all(splits)]
    sizes = np.bincount(codes[codes != _NONE], minlength=len(splits.names))
    across = np.sum([count > 0 for count in counts], axis=0) > 1 if grouped.groups else np.zeros(0, dtype=bool)
    where = _Where(splits, grouped, starts)
    return Overlap(
        splits=splits.shares(sizes.tolist()),
        unit="row",
        pairs=tuple(_pairs(splits, values, counts, sizes)),
        within=tuple(_within(splits, values, counts, sizes, where)),
        groups=int(across.sum()),
        first=tuple(where.same(np.flatnonzero(across), _FIRST)),
        columns=tuple(columns),
        unlike=tuple(unlike),
        unsplit=int((codes == _NONE).sum()),
    )


def _all(splits: Splits) -> range:
    return range(len(splits.names))


def _columns(splits: Splits, wish: AskOverlap) -> tuple[list[str], list[str]]:
    """What is compared, in the order of the first table, and what not all tables have."""
    for name in wish.columns:
        for piece in splits.pieces:
            piece.column(name)
    left = {*wish.ignore, splits.split_column}
    names = [[one.name for one in piece.table.columns if one.name not in left] for piece in splits.pieces]
    if wish.columns:
        return [name for name in dict.fromkeys(wish.columns) if name not in left], []
    shared = set.intersection(*map(set, names))
    apart = sorted({name for each in names for name in each} - shared)
    if not shared or any(len(shared) * 2 < len(each) for each in names):
        raise CannotLook(
            f"the tables share {len(shared)} of their {len(shared) + len(apart)} columns: too few to tell rows apart",
            hint="name the tables that belong together in `splits`, or the columns to compare in `columns`",
        )
    return [name for name in names[0] if name in shared], apart


def _hashed(splits: Splits, values: Sequence[dict[str, pl.Expr]]) -> tuple[Any, Any, list[int]]:
    """A hash and a split for each row of all pieces, one below the other, and where each piece starts."""
    import numpy as np

    hashes, codes, starts = [], [], [0]
    for piece, exprs in zip(splits.pieces, values, strict=True):
        frame = piece.table.frame.select(_mixed(list(exprs.values())).alias("h"), splits.code(piece))
        found = frame.collect(engine="streaming")
        hashes.append(found["h"].to_numpy())
        codes.append(found[SPLIT].fill_null(_NONE).to_numpy())
        starts.append(starts[-1] + found.height)
        if len(codes[-1]) != found.height:  # a constant alone is one row
            codes[-1] = np.full(found.height, codes[-1][0], dtype=np.uint8)
    return np.concatenate(hashes), np.concatenate(codes), starts


def _mixed(values: Sequence[pl.Expr]) -> pl.Expr:
    """One hash of several columns, whose order counts; arithmetic is modulo 2^64."""
    import polars as pl

    mixed = values[0].hash(_SEED)
    for value in values[1:]:
        mixed = (mixed * pl.lit(_ODD, dtype=pl.UInt64)) ^ value.hash(_SEED)
    return mixed


def _grouped(splits: Splits, values: Sequence[dict[str, pl.Expr]], hashes: Any, codes: Any, starts: list[int]) -> Any:
    """The groups of equal rows, numbered by their first rows; rows of no split are left out."""
    import numpy as np

    kept = np.flatnonzero(codes != _NONE)
    order = kept[np.argsort(hashes[kept], kind="stable")]
    ranked = hashes[order]
    follows = np.zeros(len(order), dtype=bool)
    follows[1:] = ranked[1:] == ranked[:-1]
    leads = np.zeros(len(order), dtype=bool)
    leads[:-1] = follows[1:]
    candidate = follows | leads
    places, joined = order[candidate], follows[candidate]
    del order, ranked, follows, leads
    group = _confirmed(splits, values, places, joined, starts)
    sizes = np.bincount(group)
    real = sizes[group] > 1 if len(group) else np.zeros(0, dtype=bool)
    return _numbered(group[real], codes[places[real]], places[real])


def _numbered(group: np.ndarray, code: np.ndarray, place: np.ndarray) -> _Grouped:
    import numpy as np

    by_place = np.argsort(place, kind="stable")
    group, code, place = group[by_place], code[by_place], place[by_place]
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return _Grouped(rank[inverse], code, place, len(first))


def _confirmed(
    splits: Splits, values: Sequence[dict[str, pl.Expr]], places: Any, joined: Any, starts: list[int]
) -> Any:
    """A group for each candidate: those of one hash, after each value has been compared with the one before it."""
    import numpy as np

    equal = joined.copy()
    if not len(places):
        return np.zeros(0, dtype=np.int64)
    for name in values[0]:
        found = _gathered(splits, [each[name] for each in values], places, starts)
        equal[1:] &= found.eq_missing(found.shift(1)).to_numpy()[1:]
    group = np.cumsum(~equal)
    broken = np.flatnonzero(joined & ~equal)
    if len(broken):
        group = _untangled(splits, values, places, joined, starts)
    return group


def _untangled(
    splits: Splits, values: Sequence[dict[str, pl.Expr]], places: Any, joined: Any, starts: list[int]
) -> Any:
    """The groups where different rows share a hash: column by column, a group falls apart into its values."""
    import polars as pl

    frame = pl.DataFrame({"g": (~joined).cumsum()})
    for name in values[0]:
        found = _gathered(splits, [each[name] for each in values], places, starts)
        frame = (
            frame.with_columns(found.alias("v")).with_row_index("i").select(pl.col("i").min().over("g", "v").alias("g"))
        )
    return frame["g"].to_numpy()


def _gathered(splits: Splits, exprs: Sequence[pl.Expr], places: Any, starts: list[int]) -> pl.Series:
    """The values of a column at some places, in their order."""
    import numpy as np
    import polars as pl

    piece_of = np.searchsorted(np.asarray(starts[1:]), places, side="right")
    by_piece = np.argsort(piece_of, kind="stable")
    found = []
    for number, (piece, expr) in enumerate(zip(splits.pieces, exprs, strict=True)):
        local = places[by_piece][piece_of[by_piece] == number] - starts[number]
        if len(local):
            column = piece.table.frame.select(expr.alias("v")).collect(engine="streaming")["v"]
            found.append(column.gather(local))
    back = np.empty(len(places), dtype=np.int64)
    back[by_piece] = np.arange(len(places))
    return pl.concat(found).gather(back) if found else pl.Series([], dtype=pl.Null)


def _pairs(splits: Splits, values: Sequence[dict[str, pl.Expr]], counts: Sequence[Any], sizes: Any) -> Iterator[Pair]:
    for first, later in pairs(range(len(splits.names))):
        both = (counts[first] > 0) & (counts[later] > 0)
        if both.any():
            expected = coincidences(splits, values, first, int(sizes[first]), int(sizes[later]))
            yield Pair(
                earlier=splits.names[first],
                later=splits.names[later],
                groups=int(both.sum()),
                members=int(counts[later][both].sum()),
                of=int(sizes[later]),
                chance=expected,
            )


def _within(
    splits: Splits, values: Sequence[dict[str, pl.Expr]], counts: Sequence[Any], sizes: Any, where: _Where
) -> Iterator[Within]:
    import numpy as np

    for code, name in enumerate(splits.names):
        twice = np.flatnonzero(counts[code] > 1)
        if len(twice):
            size = int(sizes[code])
            yield Within(
                split=name,
                groups=len(twice),
                surplus=int((counts[code][twice] - 1).sum()),
                chance=coincidences(splits, values, code, size, size) / 2,  # each two rows are one pair
                example=where.members(int(twice[0]), code),
            )


class _Where:
    """Where the members of a group lie."""

    def __init__(self, splits: Splits, grouped: _Grouped, starts: Sequence[int]) -> None:
        import numpy as np

        self._splits, self._grouped = splits, grouped
        self._starts = np.asarray(starts)
        self._order = np.argsort(grouped.group, kind="stable")
        self._bounds = np.searchsorted(grouped.group[self._order], np.arange(grouped.groups + 1))

    def same(self, groups: Any, limit: int) -> Iterator[Same]:
        """The first of some groups, with their first members."""
        for group in groups[:limit]:
            size = int(self._bounds[group + 1] - self._bounds[group])
            yield Same(size=size, places=self.members(int(group)))

    def members(self, group: int, code: int | None = None) -> tuple[Place, ...]:
        """The first members of a group, perhaps only those of one split; at least one of each split comes first."""
        rows = self._order[self._bounds[group] : self._bounds[group + 1]]
        if code is not None:
            rows = rows[self._grouped.code[rows] == code]
        leading = list({self._code(row): row for row in rows[::-1].tolist()}.values())[-_MEMBERS:]
        others = [row for row in rows[: 2 * _MEMBERS].tolist() if row not in leading]
        chosen = sorted([*leading, *others][:_MEMBERS])
        return tuple(map(self._place, chosen))

    def _code(self, row: int) -> int:
        return int(self._grouped.code[row])

    def _place(self, row: int) -> Place:
        import numpy as np

        place = int(self._grouped.place[row])
        number = int(np.searchsorted(self._starts[1:], place, side="right"))
        return Place(
            split=self._splits.names[self._code(row)],
            path=self._splits.pieces[number].path,
            row=place - int(self._starts[number]) + 1,
        )
