"""Lines, rows and numbers as they stand in annotation files."""

from __future__ import annotations

import csv
import math
import re
import zlib
from collections.abc import Iterator
from typing import Literal

from audit.errors import FormatError
from audit.formats.manifest.listing import numbered

FARTHEST = 1e12
"""No number is larger, so that sums and differences are finite."""
MAX_ROWS = 5_000_000
"""Lines or annotations of one file: each becomes a record many times as large."""
MAX_LINE = 2**20
"""Characters of one line of CSV."""
MAX_VALUE = 2**16
"""Characters of one value of CSV; the reader's own limit is one for the whole process, and libraries lift it."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_CSV_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LONGEST = 60
"""More characters than a number has, whoever wrote it."""
_SHOWN = 40
_SIDE_MAX = 2**31 - 1


def bounded(data: bytes, name: str, limit: int) -> bytes:
    """The content without a byte order mark; `FormatError` for more than `limit` bytes."""
    if len(data) > limit:
        raise FormatError(f"more than {limit:,} bytes", where=name, hint="split it")
    return data.removeprefix(b"\xef\xbb\xbf")


def lines(data: bytes, name: str, limit: int) -> Iterator[tuple[int, str]]:
    """Number the lines that say something, from 1 on, white space around them taken off.

    `FormatError` for what is not UTF-8, for more than `limit` bytes and for more than `MAX_ROWS` lines.
    """
    for count, (line, raw) in enumerate(numbered(bounded(data, name, limit)), 1):
        if count > MAX_ROWS:
            raise FormatError(f"more than {MAX_ROWS:,} lines", where=name, hint="split it")
        if row := _decoded(raw, f"{name}:{line}").strip():
            yield line, row


def unpacked(data: bytes, name: str, limit: int) -> bytes:
    """The content of a gzip file (RFC 1952), at most `limit` bytes; `FormatError` for a larger or broken one."""
    reader, content = zlib.decompressobj(16 + zlib.MAX_WBITS), b""
    try:
        content = reader.decompress(data, limit + 1)
    except zlib.error as error:
        raise FormatError(f"broken gzip: {error}", where=name) from None
    if len(content) > limit:
        raise FormatError(f"more than {limit:,} bytes", where=name, hint="split it")
    if not reader.eof or reader.unused_data:
        raise FormatError("not one whole gzip file", where=name, hint="pack it anew")
    return content


def csv_rows(data: bytes, name: str, limit: int, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Number the rows of CSV that are not empty by the line that ends them, as `lines` does.

    Quotes are letters like others where tabs part the values.
    """
    text = _decoded(bounded(data, name, limit), name)
    quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    found = (_short(each[0], name) for each in _CSV_LINE.finditer(text))
    reader, count = csv.reader(found, delimiter=delimiter, quoting=quoting, strict=True), 0
    try:
        for values in reader:
            count += 1
            if count > MAX_ROWS:
                raise FormatError(f"more than {MAX_ROWS:,} lines", where=name, hint="split it")
            if any(len(value) > MAX_VALUE for value in values):
                raise FormatError(f"a value of more than {MAX_VALUE:,} characters", where=f"{name}:{reader.line_num}")
            if any(values):
                yield reader.line_num, [value.strip() for value in values]
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", where=f"{name}:{reader.line_num}") from None


def number(said: str, what: str, where: str) -> float:
    """A decimal number of at most `FARTHEST`; `FormatError`, which calls it `what`, for anything else."""
    said = said.strip()
    value = float(said) if len(said) <= _LONGEST and _NUMBER.fullmatch(said) else math.nan
    if math.isnan(value):
        raise FormatError(f"{what} is {said[:_SHOWN]!r}, no number", where=where)
    if abs(value) > FARTHEST:
        raise FormatError(f"{what} is {said[:_SHOWN]}, a number too large", where=where)
    return value


def whole(said: str, what: str, where: str) -> int:
    """A whole number, `3.0` among them; `FormatError` for anything else."""
    value = number(said, what, where)
    if not value.is_integer() or abs(value) > _SIDE_MAX:
        raise FormatError(f"{what} is {said.strip()[:_SHOWN]!r}, no whole number", where=where)
    return int(value)


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError("not UTF-8", where=where, hint="save the file as UTF-8") from None


def _short(line: str, name: str) -> str:
    if len(line) > MAX_LINE:
        raise FormatError(f"a line of more than {MAX_LINE:,} characters", where=name)
    return line
