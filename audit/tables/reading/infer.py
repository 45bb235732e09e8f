"""What a column of text is, from all its values: whatever decides its type is counted, block by block.

The words for "nothing" of pandas' `read_csv` (`na_values`) count as missing in columns of numbers,
truth values and times, and are words among words. A float64 holds every integer up to 2^53 (IEEE 754).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from audit.tables.reading import moments

if TYPE_CHECKING:
    import polars as pl

MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
    "N/A", "NA", "NULL", "NaN", "NaT", "None", "n/a", "nan", "null",
)  # fmt: skip
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
EXACT = 1 << 53
_TOGETHER = 500
"""Columns that are counted in one go."""
_COUNTS = 6
_ZERO_LED = r"^[+-]?0\d"
_INTEGRAL = r"^[+-]?\d+$"
_FIRST = 10
_LONGEST = 40  # digits; more are beyond 64 bits, and Python refuses to read thousands of them


def nearest_float(digits: str) -> str:
    """The float64 nearest to an integer, written as an integer; `inf` beyond all of them."""
    found = float(digits)
    return str(int(found)) if abs(found) < float("inf") else str(found)


class Seen(msgspec.Struct):
    """How many values there are of a sort, in which rows the first of them stand, and what the first one is."""

    count: int = 0
    rows: list[int] = []
    first: str = ""

    def add(self, values: pl.Series, mask: pl.Series, start: int) -> None:
        """Those values of a block whose mask is true; its first row is `start`."""
        found = int(mask.sum() or 0)
        if found and len(self.rows) < _FIRST:
            places = mask.arg_true().head(_FIRST - len(self.rows)).to_list()
            self.first = self.first if self.count else str(values[places[0]])
            self.rows.extend(start + place for place in places)
        self.count += found


class Plain(NamedTuple):
    """What a block of one column has, if that is numbers and missing values and nothing to remark."""

    nulls: int
    numbers: int
    integers: int
    low: int | None
    high: int | None


def plain(frame: pl.DataFrame) -> list[Plain | None]:
    """For each column of strings what it has, None where a closer look is due: all columns at once, for speed."""
    rows: list[list[Any]] = []
    for begin in range(0, frame.width, _TOGETHER):
        some = frame.columns[begin : begin + _TOGETHER]
        counted = frame.select(
            [one.alias(f"{name}/{place}") for name in some for place, one in enumerate(_counts(name))]
        )
        values = counted.row(0)
        rows += [list(values[place : place + _COUNTS]) for place in range(0, len(values), _COUNTS)]
    return [_plain(frame.height, row) for row in rows]


def _counts(name: str) -> list[pl.Expr]:
    import polars as pl

    said = pl.col(name)
    number, whole = said.cast(pl.Float64, strict=False), said.cast(pl.Int64, strict=False)
    odd = number.is_nan() | (number.abs() >= EXACT) | said.str.contains(_ZERO_LED) | said.str.starts_with("+")
    return [said.null_count(), number.count(), odd.sum(), whole.count(), whole.min(), whole.max()]


def _plain(rows: int, row: list[Any]) -> Plain | None:
    nulls, numbers, odd, integers, low, high = row
    return Plain(nulls, numbers, integers, low, high) if nulls + numbers == rows and not odd else None


class Guess:
    """What one column may still be. Blocks of strings are seen once, in the order of the rows.

    `only_times`: the format has numbers of its own, so that one in quotes is a word.
    """

    def __init__(self, *, only_times: bool = False) -> None:
        self.only_times = only_times
        self.present = self.nulls = self.booleans = 0
        self.numbers = self.integers = self.low = self.high = 0
        self.times, self.dates, self.clocks, self.zoned = True, 0, 0, 0
        self.fine, self.offsets = False, set[str]()
        self.first_moment, self.last_moment = datetime.max, datetime.min  # noqa: DTZ901 - bounds, not moments
        self.missing, self.others = Seen(), Seen()
        self.leading, self.plus, self.inexact = Seen(), Seen(), Seen()

    def see(self, values: pl.Series, start: int) -> None:
        """Look at the strings of the rows from `start` on; null is a value that is not there."""
        empty = (values == "").fill_null(value=False)
        missing = values.is_in(MISSING).fill_null(value=False)
        self.missing.add(values, missing & ~empty, start)
        there = values.is_not_null() & ~missing
        count = int(there.sum() or 0)
        self.present += count
        self.nulls += len(values) - count
        if count:
            self._see_present(values, there, start)

    def see_plain(self, found: Plain) -> None:
        """The same for a block in which there is nothing but plain numbers, counted beforehand."""
        self.nulls += found.nulls
        self.present += found.numbers
        self.numbers += found.numbers
        self.integers += found.integers
        self.low, self.high = min(self.low, found.low or 0), max(self.high, found.high or 0)

    def _see_present(self, values: pl.Series, there: pl.Series, start: int) -> None:
        number = there & False if self.only_times else self._numbers(values, there, start)
        rest = there & ~number
        self.others.add(values, rest, start)
        if rest.any():
            words = values.filter(rest).str.strip_chars(" ")
            self.booleans += int(words.is_in(TRUE + FALSE).sum() or 0)
            if self.times:
                self._times(words)

    def _numbers(self, values: pl.Series, there: pl.Series, start: int) -> pl.Series:
        """Which of the values are numbers; spaces around one are no part of it."""
        import polars as pl

        numbers = values.cast(pl.Float64, strict=False)
        if (there & numbers.is_null() & (values.str.starts_with(" ") | values.str.ends_with(" "))).any():
            values = values.str.strip_chars(" ")
            numbers = values.cast(pl.Float64, strict=False)
        number = there & numbers.is_not_null()
        if number.any():
            self.numbers += int(number.sum() or 0)
            self.leading.add(values, number & values.str.contains(_ZERO_LED), start)
            self._integers(values, numbers, number, start)
        return number

    def _integers(self, values: pl.Series, numbers: pl.Series, number: pl.Series, start: int) -> None:
        import polars as pl

        whole = values.cast(pl.Int64, strict=False)
        integer = number & whole.is_not_null()
        self.integers += int(integer.sum() or 0)
        self.plus.add(values, number & values.str.starts_with("+"), start)
        within = whole.filter(integer).to_physical()
        if len(within):
            self.low, self.high = min(self.low, int(within.min())), max(self.high, int(within.max()))  # type: ignore[arg-type]
        large = number & (numbers.abs() >= EXACT)
        if large.any():
            same = whole.cast(pl.Float64).cast(pl.Int64, strict=False) == whole
            self.inexact.add(values, large & integer & ~same.fill_null(value=False), start)
            self._beyond(values, large & ~integer & values.str.contains(_INTEGRAL), start)

    def _beyond(self, values: pl.Series, digits: pl.Series, start: int) -> None:
        """Integers of more than 64 bits, few if any."""
        import polars as pl

        if digits.any():
            found = values.filter(digits).to_list()
            self.integers += len(found)
            ends = [(-1 if said.startswith("-") else 1) << 64 if len(said) > _LONGEST else int(said) for said in found]
            self.low, self.high = min(self.low, *ends), max(self.high, *ends)
            lossy = pl.Series([nearest_float(said) != said.lstrip("+0") for said in found], dtype=pl.Boolean)
            places = digits.arg_true().filter(lossy)
            self.inexact.add(values, pl.int_range(len(values), eager=True).is_in(places.to_list()), start)

    def _times(self, words: pl.Series) -> None:
        """Count days and moments, until there is a word that is neither."""
        days = moments.dates(words)
        rest = words.filter(days.is_null())
        clocks = moments.clocks(rest)
        zoned = moments.zoned(rest.filter(clocks.is_null()))
        self.dates += len(words) - len(rest)
        self.clocks += len(rest) - clocks.null_count()
        self.zoned += len(zoned) - zoned.null_count()
        self.times = zoned.null_count() == 0
        if self.times and len(rest):
            self._moments(rest, [clocks, zoned.dt.replace_time_zone(None)])

    def _moments(self, words: pl.Series, found: list[pl.Series]) -> None:
        self.offsets |= moments.offsets(words) if self.zoned else set()
        self.fine = self.fine or moments.is_fine(words)
        for moment in (end for each in found for end in (each.min(), each.max())):
            if isinstance(moment, datetime):
                self.first_moment = min(self.first_moment, moment)
                self.last_moment = max(self.last_moment, moment)
