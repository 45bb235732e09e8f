"""Sequences of token ids counted: their lengths, the sides that are padded, ids that are not in the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from audit.records.tokens import LengthCount, Place, Sequences, TokenAsk

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]


_COUNTED = ("places", "width", "left", "right", "both", "outside", "nulls", "missing")


class _Rows(NamedTuple):
    """The rows that hold a token, and the places of the first and the last of each."""

    which: Array
    first: Array
    last: Array


class Tally:
    """Takes sequences some at a time, in their order."""

    def __init__(self, ask: TokenAsk) -> None:
        self._ask = ask
        self._lengths: dict[int, list[int]] = {}
        self._counted: dict[str, Any] = dict.fromkeys(_COUNTED, 0)
        self._first: dict[str, Any] = {}
        self._low: int | None = None
        self._high: int | None = None
        self._seen = 0
        self._padding = False

    def take(self, ids: Array, bounds: Array, mask: Array | None = None) -> None:
        """The ids of some sequences one behind the other: sequence k is `ids[bounds[k]:bounds[k + 1]]`.

        `mask` has a number for each id, 0 where it is padding.
        """
        import numpy as np

        sizes = np.diff(bounds)
        rows = self._rows(ids, bounds, sizes, mask)
        lengths = np.zeros(sizes.size, "i8")
        lengths[rows.which] = rows.last - rows.first + 1
        self._count(lengths, rows, ids)
        self._pads(rows, bounds)
        self._vocabulary(ids, bounds)
        self._counted["places"] += ids.size
        self._counted["width"] = max(self._counted["width"], int(sizes.max(initial=0)))
        self._seen += sizes.size

    def lacks(self, *, nulls: int = 0, missing: int = 0) -> None:
        """So many ids, and so many sequences, are not there."""
        self._counted["nulls"] += nulls
        self._counted["missing"] += missing

    def told(self, name: str, *, stream: bool = False) -> Sequences:
        """What they came to."""
        lengths = (
            LengthCount(length=length, sequences=count, ended=ended)
            for length, (count, ended) in sorted(self._lengths.items())
        )
        return Sequences(
            name=name,
            lengths=tuple(lengths),
            padding_known=self._padding,
            low=self._low,
            high=self._high,
            stream=stream,
            **self._counted,
            **self._first,
        )

    def _rows(self, ids: Array, bounds: Array, sizes: Array, mask: Array | None) -> _Rows:
        import numpy as np

        if mask is None and self._ask.pad_id is None:
            index = np.flatnonzero(sizes)
            return _Rows(index, bounds[:-1][index], bounds[1:][index] - 1)
        self._padding = True
        real = np.flatnonzero(mask if mask is not None else ids != self._ask.pad_id)
        rows = np.repeat(np.arange(sizes.size), sizes)[real]
        begins = np.flatnonzero(np.diff(rows, prepend=-1))
        ends = np.append(begins[1:], rows.size) - 1 if begins.size else begins
        return _Rows(rows[begins], real[begins], real[ends])

    def _count(self, lengths: Array, rows: _Rows, ids: Array) -> None:
        import numpy as np

        ended = np.zeros(lengths.size, bool)
        if self._ask.end_id is not None:
            ended[rows.which] = ids[rows.last] == self._ask.end_id
        known, place, count = np.unique(lengths, return_inverse=True, return_counts=True)
        ends = np.bincount(place.ravel(), weights=ended, minlength=known.size)
        for length, some, end in zip(known.tolist(), count.tolist(), ends.tolist(), strict=True):
            held = self._lengths.setdefault(length, [0, 0])
            held[0] += some
            held[1] += int(end)
        self._note("empty_first", np.flatnonzero(lengths == 0))
        if self._ask.max_length is not None:
            self._note("long_first", np.flatnonzero(lengths > self._ask.max_length), lengths)

    def _pads(self, rows: _Rows, bounds: Array) -> None:
        import numpy as np

        left, right = rows.first > bounds[rows.which], rows.last < bounds[rows.which + 1] - 1
        for name, some in (("left", left & ~right), ("right", right & ~left), ("both", left & right)):
            self._counted[name] += int(np.count_nonzero(some))
        self._note("left_first", rows.which[left])
        self._note("right_first", rows.which[right])

    def _vocabulary(self, ids: Array, bounds: Array) -> None:
        import numpy as np

        if not ids.size:
            return
        low, high = int(ids.min()), int(ids.max())
        self._low = low if self._low is None else min(low, self._low)
        self._high = high if self._high is None else max(high, self._high)
        if self._ask.vocab_size is None or (low >= 0 and high < self._ask.vocab_size):
            return
        wrong = np.flatnonzero((ids < 0) | (ids >= self._ask.vocab_size))
        self._counted["outside"] += wrong.size
        row = int(np.searchsorted(bounds, wrong[0], side="right")) - 1
        self._first.setdefault("outside_first", Place(index=self._seen + row, found=int(ids[wrong[0]])))

    def _note(self, name: str, rows: Array, numbers: Array | None = None) -> None:
        """Keep the first of them."""
        if rows.size and name not in self._first:
            index = self._seen + int(rows[0])
            self._first[name] = index if numbers is None else Place(index=index, found=int(numbers[rows[0]]))
