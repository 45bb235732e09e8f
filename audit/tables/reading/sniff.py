"""How delimited text is laid out, found from its first lines: the delimiter, and whether the first row is a header.

What cannot be told from the bytes is not guessed: `CannotLook` then says what to declare.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from audit.errors import CannotLook
from audit.formats.suffixes import suffix
from audit.records.table import Reading
from audit.tables.reading.infer import MISSING

HEAD = 1 << 20
"""Bytes that are looked at."""
ROWS = 500
"""Rows that are looked at."""

_CANDIDATES = (",", ";", "\t", "|")
_FEWEST = 2
_LONGEST_FIELD = 1 << 26
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLAIN = re.compile(r"\d+")

Rows = Sequence[Sequence[str]]


def rows(head: bytes, delimiter: str, quote: str, *, whole: bool) -> Rows:
    """The rows of the head without blank ones; unless it is the `whole` file, without the last, which may be cut.

    Bytes that are not UTF-8 are escapes, so that all names stay distinct.
    """
    text = io.StringIO(head.decode("utf-8", "backslashreplace"), newline="")
    csv.field_size_limit(_LONGEST_FIELD)
    found = []
    for row in csv.reader(text, delimiter=delimiter, **quoting(quote)):
        found.append(row)
        if len(found) > ROWS:
            break
    else:
        found = found if whole else found[:-1]
    return [row for row in found if row]


def broken(head: bytes, delimiter: str, quote: str) -> tuple[str, ...]:
    """The cells of the first row that are not UTF-8, with escapes in them."""
    text = io.StringIO(head.decode("utf-8", "surrogateescape"), newline="")
    first = next(filter(None, csv.reader(text, delimiter=delimiter, **quoting(quote))), [])
    there = [cell.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for cell in first]
    return tuple(said for said, cell in zip(there, first, strict=True) if said != cell)


def quoting(quote: str) -> dict[str, Any]:
    """What Python's `csv` is to be told of a quotation mark, or of none."""
    return {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}


def delimiter(head: bytes, name: str, reading: Reading, *, whole: bool) -> str:
    """The declared one, that of `.tsv`, or the one by which most rows have as many fields as the first, and not one."""
    if reading.delimiter is not None:
        return reading.delimiter
    if suffix(name) in {".tsv", ".tab"}:
        return "\t"
    quote = '"' if reading.quote is None else reading.quote
    scores = {one: _score(rows(head, one, quote, whole=whole)) for one in _CANDIDATES}
    best = max(_CANDIDATES, key=lambda one: scores[one])  # the first of equals
    return best if scores[best][0] > 0 else ","


def _score(found: Rows) -> tuple[float, int]:
    """The share of rows with as many fields as the first, and how many fields these are."""
    fields = len(found[0]) if found else 0
    if fields < _FEWEST:
        return (0.0, 0)
    return (round(Counter(map(len, found))[fields] / len(found), 2), fields)


def header(found: Rows, name: str, reading: Reading) -> bool:
    """Whether the first row names the columns.

    It does not where one of its cells is a number that nobody would call a column by (with a
    sign, a point or an exponent), or where it repeats itself, and every cell is of the kind of
    those below it. It does where no cell is a number, or numbers count the columns.
    """
    if reading.header is not None or not found:
        return reading.header is not False
    first, body = found[0], [row for row in found[1:] if len(row) == len(found[0])]
    numeric = [cell.strip() for cell in first if _is_number(cell)]
    if not numeric or _counts(numeric) or _is_above_numbers(first, body):
        return True
    if any(not _PLAIN.fullmatch(cell) for cell in numeric) or _is_repeated(first, body):
        return False
    raise CannotLook(
        f"whether the first row is a header cannot be told: {','.join(first)[:80]!r}",
        where=name,
        hint="say `reading: {header: true}` or `false` for the dataset",
    )


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None


def _counts(numeric: Sequence[str]) -> bool:
    """Numbers that count: 0, 1, 2 of an array's columns, 2019, 2020 of a table of years."""
    if len(numeric) < _FEWEST or not all(_PLAIN.fullmatch(cell) for cell in numeric):
        return False
    return [int(cell) - int(numeric[0]) for cell in numeric] == list(range(len(numeric)))


def _is_above_numbers(first: Sequence[str], body: Rows) -> bool:
    """A cell that is no number, over a column of numbers alone, can only be a name."""
    return any(
        not _is_number(cell) and cell.strip() and _are_numbers([row[number] for row in body])
        for number, cell in enumerate(first)
    )


def _are_numbers(cells: Sequence[str]) -> bool:
    there = [cell for cell in cells if cell not in MISSING]
    return bool(there) and all(map(_is_number, there))


def _is_repeated(first: Sequence[str], body: Rows) -> bool:
    """A name that is no number does not come again as a value below itself."""
    return any(
        not _is_number(cell) and cell.strip() and cell in {row[number] for row in body}
        for number, cell in enumerate(first)
    )
