"""A table of text on its way to its types: blocks of strings go into a file, and every column's guess sees them.

Once all have gone by, the file is read again block by block, and written with the types found.
Neither pass holds more than a block in memory.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.records.table import Column
from audit.tables.reading import room
from audit.tables.reading.infer import Guess, Seen, plain
from audit.tables.reading.typed import dtype, is_digits, typed, zone
from audit.tables.sheet import new_file, schema
from audit.tables.types import column

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


class Draft:
    """Columns of text by the names `names`, of which the last `keys` come from the names of folders.

    The words `missing` stand for no value.
    """

    def __init__(self, scratch: str, names: Sequence[str], keys: int = 0, missing: Sequence[str] = ()) -> None:
        import pyarrow as pa

        self.names, self._scratch = tuple(names), scratch
        self._missing = list(missing)
        self.told = self.names[: len(names) - keys]  # of folders' names there is nothing to remark
        self.guesses = [Guess() for _ in names]
        self.broken = [Seen() for _ in names]
        self.rows = 0
        self._schema = pa.schema([pa.field(str(number), pa.large_utf8()) for number in range(len(names))])
        self._path = new_file(scratch)
        self._writer = pa.ipc.new_file(self._path, self._schema)

    def add(self, columns: Sequence[pa.Array], name: str) -> None:
        """A block of the file `name`: strings or bytes, in the order of the names."""
        import pyarrow as pa

        room.check(self._scratch, name)
        decoded = [self._decoded(number, values) for number, values in enumerate(columns)]
        self._see([text for text, _ in decoded])
        texts = [values for _, values in decoded]
        self._writer.write_batch(pa.record_batch(texts, schema=self._schema))
        self.rows += len(texts[0])

    def finish(self) -> tuple[str, tuple[Column, ...]]:
        """The typed file, and its columns."""
        import pyarrow as pa

        self._writer.close()
        target, types = new_file(self._scratch), [dtype(guess) for guess in self.guesses]
        shape = schema(self.names, types)
        with pa.OSFile(self._path) as source, pa.ipc.new_file(target, shape) as writer:
            blocks = pa.ipc.open_file(source)
            for number in range(blocks.num_record_batches):
                room.check(self._scratch, self.names[0])
                writer.write_batch(self._typed(blocks.get_batch(number), shape))
        os.unlink(self._path)  # noqa: PTH108 - paths are plain strings here
        return target, tuple(self._column(number, one) for number, one in enumerate(types))

    def _see(self, texts: Sequence[pl.Series]) -> None:
        """Have the guesses see a block; columns that have been numbers alone so far are counted together."""
        import polars as pl

        open_still = [number for number, guess in enumerate(self.guesses) if guess.present == guess.numbers]
        counted = plain(pl.DataFrame({str(number): texts[number] for number in open_still})) if open_still else []
        known = dict(zip(open_still, counted, strict=True))
        for number, (guess, text) in enumerate(zip(self.guesses, texts, strict=True)):
            if found := known.get(number):
                guess.see_plain(found)
            else:
                guess.see(text, self.rows)

    def _decoded(self, number: int, values: pa.Array) -> tuple[pl.Series, pa.Array]:
        """The strings of a block of one column; bytes that are not UTF-8 become escapes, so that all stay distinct."""
        import polars as pl
        import pyarrow as pa

        if pa.types.is_large_string(values.type):
            return _strings(pl.Series(values)), values
        text, values = _decoded(values, self.broken[number], self.rows)
        if self._missing and text.is_in(self._missing).any():
            text = text.set(text.is_in(self._missing).fill_null(value=False), None)
            values = text.to_arrow().cast(pa.large_utf8())
        return text, values

    def _typed(self, block: pa.RecordBatch, shape: pa.Schema) -> pa.RecordBatch:
        import polars as pl
        import pyarrow as pa

        columns = []
        for number, field in enumerate(shape):
            values = block.column(number)
            if field.type != pa.large_utf8() or is_digits(self.guesses[number]):
                values = typed(_strings(pl.Series(values)), self.guesses[number]).to_arrow().cast(field.type)
            columns.append(values)
        return pa.record_batch(columns, schema=shape)

    def _column(self, number: int, found: pl.DataType) -> Column:
        import msgspec

        one = column(self.names[number], found, text=True)
        return msgspec.structs.replace(one, zone=zone(self.guesses[number])) if one.zone else one


def _strings(values: pl.Series) -> pl.Series:
    import polars as pl

    return values if values.dtype == pl.String else values.cast(pl.String)


def _decoded(values: pa.Array, broken: Seen, start: int) -> tuple[pl.Series, pa.Array]:
    import polars as pl
    import pyarrow as pa

    try:
        return pl.Series(values).cast(pl.String), values.view(pa.large_utf8())
    except pl.exceptions.PolarsError:
        raw = values.to_pylist()
    said = [None if one is None else one.decode("utf-8", "backslashreplace") for one in raw]
    wrong = [one is not None and not _is_utf8(one) for one in raw]
    text = pl.Series(said, dtype=pl.String)
    broken.add(text, pl.Series(wrong, dtype=pl.Boolean), start)
    return text, pa.array(said, pa.large_utf8())


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
