"""Counts the sequences of tokens in a column of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.records.base import Record
from audit.records.table import Column, ColumnType, Source
from audit.records.tokens import Sequences, TokenAsk

if TYPE_CHECKING:
    import polars as pl

    from audit.signals.arrays.tokens_tally import Tally
    from audit.tables.table import Table

ROWS = 4096
"""Rows that are counted at a time."""

_OTHER = "name another one by `tokens`"
_Id = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
_IDS, _MASK = ("input_ids", "tokens", "token_ids"), "attention_mask"


class Question(Record):
    """A table, and what is asked of its tokens."""

    source: Source
    ask: TokenAsk


def _answers(question: Question) -> Iterator[Sequences]:
    from audit.signals.arrays.tokens_tally import Tally
    from audit.tables.faults import explained
    from audit.tables.table import Table

    table = Table(question.source)
    ids = _column(table, question.ask.tokens)
    mask = question.ask.mask or (_MASK if any(one.name == _MASK for one in table.columns) else "")
    tally = Tally(question.ask)
    with explained(question.source.names[0] if question.source.names else "the table"):
        for rows in _batches(table, [ids, mask] if mask else [ids]):
            _take(tally, rows.get_column(ids), rows.get_column(mask) if mask else None)
    yield tally.told(ids)


def _column(table: Table, name: str) -> str:
    """The column of ids: the one that is named, or called as they are, or the only list of whole numbers."""
    if name:
        column = table.column(name)
        if column.type is not ColumnType.LIST:
            raise CannotLook(f"the column {name!r} holds {column.physical}, not lists of token ids", hint=_hint(column))
        return name
    lists = [one.name for one in table.columns if one.type is ColumnType.LIST]
    likely = [one for one in lists if one in _IDS] or [one for one in lists if one != _MASK]
    if len(likely) != 1:
        told = f"several columns of lists: {', '.join(likely[:10])}" if likely else "no column of lists"
        raise CannotLook(f"the table has {told}", hint="say by `tokens` which one holds token ids; text has none yet")
    return likely[0]


def _hint(column: Column) -> str:
    if column.type is ColumnType.STRING:
        return "text has no tokens: name the column that holds their ids, or tokenise it first"
    return "name the column that holds them by `tokens`"


def _batches(table: Table, names: list[str]) -> Iterator[pl.DataFrame]:
    from audit.tables.names import exactly

    for name in names:
        table.column(name)
    frame = table.frame.select([exactly(name) for name in names])
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=ROWS, maintain_order=True)
    else:
        yield from frame.collect().iter_slices(ROWS)


def _take(tally: Tally, column: pl.Series, mask: pl.Series | None) -> None:
    there = column.is_not_null()
    tally.lacks(missing=int((~there).sum()))
    ids, bounds = _flat(column.filter(there))
    nulls = ids.null_count()
    tally.lacks(nulls=nulls)
    masked = None
    if mask is not None:
        masks, ends = _flat(mask.filter(there))
        if len(masks) != len(ids) or (ends != bounds).any():
            raise CannotLook("the mask has other lengths than the ids", hint="name the right mask by `mask`")
        masked = masks.fill_null(0).to_numpy() != 0
    tally.take(ids.fill_null(0).to_numpy(), bounds, masked)


def _flat(column: pl.Series) -> tuple[pl.Series, Any]:
    """All numbers of lists one behind the other, and where each list begins and ends."""
    import numpy as np
    import polars as pl

    lists = _lists(column)
    inner = getattr(lists.dtype, "inner", None)
    if inner is None or not (inner.is_integer() or inner in {pl.Boolean, pl.Null}):
        raise CannotLook(f"a column holds lists of {inner}, not of whole numbers", hint=_OTHER)
    sizes = lists.list.len().to_numpy()
    bounds = np.concatenate(([0], np.cumsum(sizes, dtype="i8")))
    flat = lists.filter(lists.list.len() > 0).explode()
    return flat.cast(pl.Int64) if inner == pl.Null else flat, bounds


def _lists(column: pl.Series) -> pl.Series:
    """Lists as polars has them; those of JSON Lines are kept as their JSON."""
    import polars as pl

    if column.dtype != pl.String:
        return column if isinstance(column.dtype, pl.List) else column.arr.to_list()
    decode = msgspec.json.Decoder(list[_Id | bool | None]).decode
    try:
        return pl.Series([decode(text) for text in column.to_list()], dtype=pl.List(pl.Int64))
    except msgspec.ValidationError as error:
        raise CannotLook(f"a column holds lists that are not of whole numbers: {error}", hint=_OTHER) from None


if __name__ == "__main__":
    answer(Question, _answers)
