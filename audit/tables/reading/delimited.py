"""CSV, TSV and their like as blocks of text columns: the rows that have all their fields, and a count of the others.

Parsing is Arrow's (`pyarrow.csv.open_csv`; RFC 4180, with line breaks in quotes), as bytes and
without any inference, so that nothing is lost before `audit.tables.reading.infer` has seen it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from audit.errors import CannotLook
from audit.records.table import Part, Reading
from audit.tables.faults import explained
from audit.tables.reading import room, sniff
from audit.tables.reading.compression import opened
from audit.tables.reading.encoding import Utf8
from audit.tables.reading.lines import lines, physical

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 4 << 20
"""Bytes that are parsed at once; a row may reach over two such blocks, but not over three.

Arrow reads up to 32 of them ahead (`kDefaultBackgroundMaxQ`), so that they set how much memory is needed.
"""
_GATHERED = 96 << 20
_ROWS = 1 << 15
_KEPT = 1 << 20
"""Ragged rows whose places are kept, to know the lines of the rows behind them."""
_FIRST = 10


class Delimited:
    """One file of delimited text; its first rows have been looked at, and tell how to read it.

    `header` are the columns as the first row names them, None if it is a row like others;
    `broken` those of them that are not of the encoding.
    """

    def __init__(self, part: Part, reading: Reading) -> None:
        self.name, self._part, self._reading = part.name, part, reading
        self.ragged = self._lines = self._rows = self._held = 0
        self._dropped = array("q")
        with explained(self.name):
            head, whole = self._head()
            if not head:
                raise CannotLook("is empty", where=self.name, hint="get the file again, or remove it")
            self._quote = '"' if reading.quote is None else reading.quote
            self._delimiter = sniff.delimiter(head, self.name, reading, whole=whole)
            found = sniff.rows(head, self._delimiter, self._quote, whole=whole) or [[""]]
            if found == [[""]] and not whole:
                raise CannotLook(
                    f"its first row is longer than {sniff.HEAD >> 20} MiB",
                    where=self.name,
                    hint="is it of another format?",
                )
            named = sniff.header(found, self.name, reading)
        self.header = tuple(found[0]) if named else None
        self.broken = sniff.broken(head, self._delimiter, self._quote) if named else ()
        self.fields = len(found[0])
        room.check_width(self.fields, self.name)

    def blocks(self) -> Iterator[list[pa.Array]]:
        """The columns, block by block, as `large_binary`. A line without anything is a row of a table of one column."""
        file = self._utf8()
        ahead, waiting, last = int(self.header is not None), list[Any](), None
        with explained(self.name):
            for batch in self._batches(text := _Started(file)):
                waiting.append(last := batch.slice(ahead))
                ahead = 0
                if sum(one.nbytes for one in waiting) >= _GATHERED or sum(map(len, waiting)) >= _ROWS:
                    yield self._joined(waiting)
                    waiting = []
            self._closed(last, text)
            if waiting:
                yield self._joined(waiting)
        self._lines = file.lines

    def lines_of(self, rows: Sequence[int]) -> tuple[int, ...]:
        """The lines of rows, by their numbers (from 0) among those in the blocks."""
        ahead = int(self.header is not None)
        return self._lines_at([physical(row + ahead, self._dropped) for row in rows])

    def ragged_lines(self) -> tuple[int, ...]:
        """The lines of the first rows that were left out."""
        return self._lines_at(self._dropped[:_FIRST])

    def _utf8(self) -> Utf8:
        return Utf8(opened(self._part.location, self.name), self.name, self._reading.encoding)

    def _head(self) -> tuple[bytes, bool]:
        """The first bytes without blank lines before them, and whether they are the whole file."""
        file, head = self._utf8(), b""
        while len(head) < sniff.HEAD and (data := file.read(sniff.HEAD)):
            head = (head + data).lstrip(b"\r\n")
        whole = not file.read(1)
        file.close()
        return head, whole

    def _closed(self, batch: pa.RecordBatch | None, text: _Started) -> None:
        """Refuse a last value that takes in the rest of the file: Arrow ends it there, as Python's csv does."""
        quote = self._quote.encode()
        if not quote or batch is None or not len(batch) or text.last == quote:
            return
        if any((column[-1].as_py() or b"").endswith((b"\n", b"\r")) for column in batch.columns):
            raise CannotLook(
                "the last value goes on to the end of the file: a quotation mark is left open",
                where=self.name,
                hint='close it, or say `reading: {quote: ""}` for text without quotes',
            )

    def _batches(self, file: _Started) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        try:
            yield from self._reader(file)
        except pa.ArrowInvalid as error:
            raise self._refused(error) from None

    def _reader(self, file: _Started) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        types = {f"f{number}": pa.large_binary() for number in range(self.fields)}
        return csv.open_csv(
            pa.PythonFile(cast("IO[bytes]", file), mode="r"),
            csv.ReadOptions(use_threads=False, block_size=_BLOCK, autogenerate_column_names=True),
            csv.ParseOptions(
                delimiter=self._delimiter,
                quote_char=self._quote or False,
                newlines_in_values=True,
                ignore_empty_lines=self.fields > 1,
                invalid_row_handler=self._drop,
            ),
            csv.ConvertOptions(
                check_utf8=False,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
                column_types=types,
            ),
        )

    def _drop(self, row: Any) -> str:
        self.ragged += 1
        if len(self._dropped) < _KEPT:
            self._dropped.append(row.number - 1)
        return "skip"

    def _joined(self, batches: Sequence[Any]) -> list[pa.Array]:
        import pyarrow as pa

        columns = []
        for number in range(self.fields):
            parts = [one.column(number).cast(pa.large_binary()) for one in batches]
            columns.append(pa.concat_arrays(parts) if parts else pa.array([], pa.large_binary()))
        self._rows += len(columns[0])
        return [self._without_tail(columns[0])] if self.fields == 1 else columns

    def _without_tail(self, values: pa.Array) -> pa.Array:
        """Empty lines at the end are no rows: they are held back until a value follows."""
        import pyarrow as pa
        import pyarrow.compute as pc

        there = pc.indices_nonzero(values.is_valid())
        end = there[-1].as_py() + 1 if len(there) else 0
        held, self._held = self._held if end else 0, len(values) - end + (0 if end else self._held)
        return pa.concat_arrays([pa.nulls(held, values.type), values.slice(0, end)])

    def _refused(self, error: Exception) -> CannotLook:
        if "straddling" in str(error):
            return CannotLook(
                f"a row is longer than {_BLOCK >> 20} MiB, or seems to be",
                where=self.name,
                hint='is a quotation mark left open? `reading: {quote: ""}` reads text without quotes',
            )
        return CannotLook(f"cannot be read as delimited text: {error}", where=self.name, hint="mend the file")

    def _lines_at(self, places: Sequence[int]) -> tuple[int, ...]:
        """Where every line is a row, the row's number tells; else the text is read again as far as needed."""
        if self._lines == self._rows + self.ragged + int(self.header is not None):
            return tuple(place + 1 for place in places)
        style = {"delimiter": self._delimiter, **sniff.quoting(self._quote)}
        found = lines(self._utf8, style, frozenset(places), blank=self.fields == 1)
        return tuple(found[place] for place in places if place in found)


class _Started:
    """The stream from its first line that says something on, its last line ended: Arrow takes no header without.

    Arrow parses what one call gives as one block, and never expects more than it asked for.
    """

    def __init__(self, file: Utf8) -> None:
        self._file, self._waiting = file, bytearray()
        self._begun = self._ended = False
        self.last = b""
        """The last byte that is no line break."""

    def read(self, size: int) -> bytes:
        while len(self._waiting) < size and not self._ended:
            data = self._file.read(size)
            self._ended = not data
            self._waiting += data if self._begun else data.lstrip(b"\r\n")
            self._begun = self._begun or bool(self._waiting)
            self.last = data.rstrip(b"\r\n")[-1:] or self.last
            if self._ended and self._begun and not self._waiting.endswith((b"\n", b"\r")):
                self._waiting += b"\n"
        data = bytes(memoryview(self._waiting)[:size])
        del self._waiting[:size]
        return data

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        self._file.close()
