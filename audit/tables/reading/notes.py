"""Remarks on columns of text: what other readers of the same bytes would lose, or take for something else."""

from __future__ import annotations

from collections.abc import Iterator

from audit.records.base import Record
from audit.tables.reading.infer import Guess, Seen, nearest_float
from audit.tables.reading.typed import Form, form, is_digits

_LONGEST = 60


class Note(Record):
    """A remark whose rows have not become lines yet."""

    kind: str
    count: int
    message: str
    rows: tuple[int, ...]


def notes(guess: Guess) -> Iterator[Note]:
    """What is to be said of a column whose values have all been seen."""
    shape = form(guess)
    if shape is Form.TEXT:
        yield from _text(guess)
    lossy = shape is Form.FLOAT or (shape in {Form.INTEGER, Form.UNSIGNED} and guess.nulls) or _is_huge(guess)
    if lossy and guess.inexact.count:
        yield _note("inexact", guess.inexact, _inexact(guess))


def _text(guess: Guess) -> Iterator[Note]:
    if guess.numbers == guess.present:
        yield from _spelled(guess)
    elif guess.present < 2 * guess.numbers:
        counted = f"{guess.numbers:,} numbers and {guess.others.count:,} other values"
        yield _note("mixed", guess.others, f"{counted}, first {_first(guess.others)}")
    if guess.missing.count and not is_digits(guess):
        said = f"{_first(guess.missing)} is a word here; pandas would read it as missing"
        yield _note("missing-word", guess.missing, said)


def _spelled(guess: Guess) -> Iterator[Note]:
    """Digits that are no numbers."""
    if guess.leading.count:
        said = f"a number has no leading zeros, so that {_first(guess.leading)} is text"
        yield _note("leading-zeros", guess.leading, said)
    elif guess.plus.count and guess.integers == guess.numbers:
        yield _note("leading-zeros", guess.plus, f"an integer has no plus sign, so that {_first(guess.plus)} is text")


def _is_huge(guess: Guess) -> bool:
    return form(guess) is Form.TEXT and guess.numbers == guess.integers == guess.present and not guess.leading.count


def _inexact(guess: Guess) -> str:
    first = guess.inexact.first.strip(" ")
    why = {
        Form.TEXT: "no integer of 64 bits holds it",
        Form.FLOAT: "the column has fractions as well, so that its values are floats",
    }.get(form(guess), "beside missing values, readers make floats of integers")
    return f"not exactly representable above 2^53: {first[:_LONGEST]} -> {nearest_float(first)}; {why}"


def _note(kind: str, seen: Seen, message: str) -> Note:
    return Note(kind=kind, count=seen.count, message=message, rows=tuple(seen.rows))


def _first(seen: Seen) -> str:
    return repr(seen.first[:_LONGEST])
