"""Texts that are nearly equal across splits: MinHash finds candidates, the shared word sequences decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.errors import CannotLook
from audit.measures.minhash import BANDS, bands, jaccard, shingles
from audit.records.splits import Near, NearPair, Part, Place, pairs
from audit.records.table import ColumnType
from audit.tables.splits.splits import Splits, named

if TYPE_CHECKING:
    import polars as pl

_FIRST = 20
_CANDIDATES = 50
"""So many candidates of one band are compared with a text."""


class _Texts(NamedTuple):
    """The texts of a split that are long enough: themselves, their band keys (n x 25), and where they are."""

    texts: pl.Series
    keys: Any
    places: list[tuple[int, int]]


def alike(parts: Sequence[Part], split_column: str, column: str, similarity: float) -> Near:
    """Find texts of later splits like one of an earlier. Raises `CannotLook` where the column holds no text."""
    splits = Splits(parts, split_column)
    for piece in splits.pieces:
        if piece.column(column).type not in {ColumnType.STRING, ColumnType.CATEGORICAL, ColumnType.NULL}:
            raise CannotLook(f"{piece.path}: column {column!r} holds no text", hint="mend `text_column`")
    each, left_out, sizes = _read(splits, column)
    found = [_compared(splits, each, earlier, later, similarity) for earlier, later in pairs(range(len(splits.names)))]
    return Near(
        splits=splits.shares(sizes),
        unit="text",
        pairs=tuple(one for one in found if one.members),
        left_out=left_out,
    )


def _read(splits: Splits, column: str) -> tuple[list[_Texts], int, list[int]]:
    """The texts by split, how many are too short, and how many rows each split has."""
    import numpy as np
    import polars as pl

    texts: list[list[str]] = [[] for _ in splits.names]
    keys: list[list[Any]] = [[] for _ in splits.names]
    places: list[list[tuple[int, int]]] = [[] for _ in splits.names]
    left_out, sizes = 0, [0] * len(splits.names)
    for number, piece in enumerate(splits.pieces):
        frame = piece.table.frame.select(splits.code(piece), named(column).cast(pl.String).alias("t")).collect()
        for row, (code, text) in enumerate(frame.iter_rows(), 1):
            if code is None:
                continue
            sizes[code] += 1
            key = bands(text) if text is not None else None
            if key is None:
                left_out += 1
                continue
            texts[code].append(text)
            keys[code].append(key)
            places[code].append((number, row))
    made = [
        _Texts(pl.Series(some, dtype=pl.String), np.asarray(own, dtype=np.uint64).reshape(-1, BANDS), where)
        for some, own, where in zip(texts, keys, places, strict=True)
    ]
    return made, left_out, sizes


def _compared(splits: Splits, each: Sequence[_Texts], earlier: int, later: int, similarity: float) -> NearPair:
    own, others = each[later], each[earlier]
    found = []
    for row, candidates in _candidates(own.keys, others.keys):
        said = shingles(own.texts[row])
        best = max(((jaccard(said, shingles(others.texts[one])), -one) for one in candidates), default=(0.0, 0))
        if best[0] >= similarity:
            found.append((row, -best[1], best[0]))
    first = [
        (_place(splits, own, later, row), _place(splits, others, earlier, other), likeness)
        for row, other, likeness in found[:_FIRST]
    ]
    return NearPair(
        earlier=splits.names[earlier],
        later=splits.names[later],
        members=len(found),
        of=len(own.places),
        first=tuple(first),
    )


def _candidates(own: Any, others: Any) -> Iterator[tuple[int, list[int]]]:
    """For each text of one side the texts of the other with which it shares a band, if there are any."""
    import numpy as np

    found: dict[int, set[int]] = {}
    for band in range(BANDS):
        order = np.argsort(others[:, band], kind="stable")
        ranked = others[order, band]
        start, stop = ranked.searchsorted(own[:, band], "left"), ranked.searchsorted(own[:, band], "right")
        for row in np.flatnonzero(stop > start).tolist():
            found.setdefault(row, set()).update(order[start[row] : min(stop[row], start[row] + _CANDIDATES)].tolist())
    yield from ((row, sorted(found[row])) for row in sorted(found))


def _place(splits: Splits, texts: _Texts, code: int, row: int) -> Place:
    number, line = texts.places[row]
    return Place(split=splits.names[code], path=splits.pieces[number].path, row=line)
