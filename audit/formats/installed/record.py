"""RECORD: the files of a distribution, their digests and sizes.

Source: PEP 376 and PEP 627, "Recording installed projects" of the Python packaging authority: lines of CSV with a path
relative to the folder that holds the record, `ALGORITHM=DIGEST` in URL-safe base 64 without padding, and bytes.
"""

from __future__ import annotations

import base64
import binascii
import csv
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError

LIMIT = 64 << 20
"""Bytes of one file."""

ALGORITHMS = frozenset({"sha256", "sha512"})
"""Those that are compared; others are hardly ever met."""


class Line(NamedTuple):
    """One file, and its digest as it is written: none for RECORD itself, and for what is compiled later."""

    path: str
    said: str = ""

    @property
    def algorithm(self) -> str:
        """The digest's."""
        return self.said.partition("=")[0]

    @property
    def hex(self) -> str:
        """The digest in hexadecimal digits; empty where it is none."""
        digits = self.said.partition("=")[2]
        try:
            return base64.b64decode(digits + "=" * (-len(digits) % 4), altchars=b"-_", validate=True).hex()
        except (binascii.Error, ValueError):
            return ""


def parse(data: bytes, name: str) -> Iterator[Line]:
    """Read a file called `name`; `FormatError` for what is not UTF-8 or no CSV."""
    try:
        text = data.decode("utf-8")
        yield from _quoted(text) if '"' in text else map(_plain, filter(None, text.splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"is no RECORD: {error}", where=name) from None


def _plain(line: str) -> Line:
    """A line without quotes: the common case, ten thousands of them."""
    return Line(*line.split(",", 2)[:2])


def _quoted(text: str) -> Iterator[Line]:
    for row in csv.reader(text.splitlines()):
        if row:
            yield Line(*row[:2])
