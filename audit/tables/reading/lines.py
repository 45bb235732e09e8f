"""The lines at which rows of delimited text begin."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol


class Stream(Protocol):
    """What can be read."""

    def read(self, size: int) -> bytes:
        """About so many bytes; none at the end."""


def lines(
    reopen: Callable[[], Stream], style: Mapping[str, Any], wanted: Collection[int], *, blank: bool
) -> dict[int, int]:
    """The first line (from 1) of each wanted row (from 0, as rows stand in the file, a header among them).

    `blank` is whether an empty line behind the first row is one too. The text is read no farther than needed.
    """
    last, found, row, begin = max(wanted, default=-1), dict[int, int](), 0, 1
    text = io.TextIOWrapper(io.BufferedReader(_Raw(reopen())), "utf-8", "replace", newline="")
    reader = csv.reader(text, **style)
    for fields in reader:
        if row in wanted:
            found[row] = begin
        row += bool(fields or (blank and row))
        begin = reader.line_num + 1
        if row > last:
            break
    return {place: line for place, line in found.items() if place in wanted}


class _Raw(io.RawIOBase):
    """A stream as the layers of the standard library want it."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._ahead = stream, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._ahead or self._stream.read(len(buffer))
        size = min(len(data), len(buffer))
        buffer[:size], self._ahead = data[:size], data[size:]
        return size


def physical(kept: int, dropped: Sequence[int]) -> int:
    """The place in the file of row number `kept` of those left; `dropped` are the places of the others, sorted."""
    place = kept
    while (before := kept + bisect_left(dropped, place + 1)) != place:
        place = before
    return place
