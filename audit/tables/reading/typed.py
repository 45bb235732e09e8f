"""The type that a column of text gets, and its values in that type; none of them is lost or changed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from audit.tables.reading import moments
from audit.tables.reading.infer import FALSE, MISSING, TRUE, Guess

if TYPE_CHECKING:
    import polars as pl

_NS = (datetime(1678, 1, 1), datetime(2262, 1, 1))  # noqa: DTZ001 - whole years that 64 bits of nanoseconds hold


class Form(StrEnum):
    """What every value of a column has in common."""

    NOTHING = "nothing"
    INTEGER = "integer"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    CLOCK = "clock"
    ZONED = "zoned"
    TEXT = "text"


_NUMBERS = frozenset({Form.INTEGER, Form.UNSIGNED, Form.FLOAT})
_TIMES = frozenset({Form.DATE, Form.CLOCK, Form.ZONED})


def form(guess: Guess) -> Form:
    """The narrowest form that has all values; text if there is none, or if another would lose something."""
    count = guess.present
    if not count:
        return Form.NOTHING
    if guess.numbers == count:
        return _number(guess)
    return Form.BOOLEAN if guess.booleans == count else _time(guess)


def _time(guess: Guess) -> Form:
    held = not guess.fine or (guess.first_moment >= _NS[0] and guess.last_moment < _NS[1])
    if guess.dates == guess.present:
        return Form.DATE
    if guess.dates + guess.clocks == guess.present and held:
        return Form.CLOCK
    return Form.ZONED if guess.zoned == guess.present and held else Form.TEXT


def _number(guess: Guess) -> Form:
    if guess.leading.count:
        return Form.TEXT
    if guess.integers < guess.numbers:
        return Form.FLOAT
    if guess.plus.count:
        return Form.TEXT
    if guess.low >= -(1 << 63) and guess.high < 1 << 63:
        return Form.INTEGER
    return Form.UNSIGNED if guess.low >= 0 and guess.high < 1 << 64 else Form.TEXT


def unit(guess: Guess) -> moments.Unit:
    """Microseconds, unless a moment says more."""
    return "ns" if guess.fine else "us"


def dtype(guess: Guess) -> pl.DataType:
    """The physical type of the column."""
    import polars as pl

    types: dict[Form, pl.DataType] = {
        Form.NOTHING: pl.Null(),
        Form.INTEGER: pl.Int64(),
        Form.UNSIGNED: pl.UInt64(),
        Form.FLOAT: pl.Float64(),
        Form.BOOLEAN: pl.Boolean(),
        Form.DATE: pl.Date(),
        Form.CLOCK: pl.Datetime(unit(guess)),
        Form.ZONED: pl.Datetime(unit(guess), "UTC"),
        Form.TEXT: pl.String(),
    }
    return types[form(guess)]


def zone(guess: Guess) -> str | None:
    """The time zone as it was written: UTC, the one offset there is, or several."""
    if form(guess) is not Form.ZONED:
        return None
    if guess.offsets == {"+00:00"}:
        return "UTC"
    return next(iter(guess.offsets)) if len(guess.offsets) == 1 else "several offsets"


def is_digits(guess: Guess) -> bool:
    """Whether text is made of numbers alone, which is no column of words."""
    return form(guess) is Form.TEXT and guess.numbers == guess.present


def typed(values: pl.Series, guess: Guess) -> pl.Series:
    """Strings as values of the column's type; words for nothing become null there."""
    import polars as pl

    shape = form(guess)
    if shape is Form.TEXT:
        words = values.is_in(MISSING[1:]).fill_null(value=False)
        return values.set(words, None) if is_digits(guess) and words.any() else values
    if shape in _NUMBERS and not guess.missing.count:
        found = values.cast(dtype(guess), strict=False)
        if found.null_count() == values.null_count():
            return found
    if shape is Form.NOTHING:
        return pl.Series(values.name, [None] * len(values), dtype=pl.Null)
    plain = values.set(values.is_in(MISSING).fill_null(value=False), None).str.strip_chars(" ")
    if shape is Form.BOOLEAN:
        return plain.is_in(TRUE).set(~plain.is_in(TRUE + FALSE), None)
    return _moments(plain, guess) if shape in _TIMES else plain.cast(dtype(guess), strict=True)


def _moments(plain: pl.Series, guess: Guess) -> pl.Series:
    if form(guess) is Form.DATE:
        return moments.dates(plain)
    return (moments.clocks if form(guess) is Form.CLOCK else moments.zoned)(plain, unit(guess))
