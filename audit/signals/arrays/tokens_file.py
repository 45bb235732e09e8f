"""The sequences of tokens in a file of arrays: an array [N, L] of ids, perhaps with a mask of the same shape."""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.records.array import ArrayHeader, Tensor
from audit.records.tokens import Sequences, TokenAsk
from audit.signals.arrays.headers import headed
from audit.signals.arrays.scan import Values
from audit.signals.arrays.scan_forms import Form, form
from audit.signals.arrays.scan_sources import values
from audit.signals.arrays.tokens_tally import Tally

IDS, MASK = "input_ids", "attention_mask"
"""How tokenizers call them."""

BLOCK = 1 << 20
"""Ids that are counted at a time."""

_LISTED = 10


class _Read(NamedTuple):
    """An array that can be read in its order."""

    form: Form
    values: Values

    def some(self, start: int, stop: int) -> Any:
        """Its numbers from `start` to `stop`."""
        import numpy as np

        raw = np.empty((stop - start) * self.form.size, "u1")
        self.values.fill(raw, start * self.form.size)
        return self.form.numbers(raw)


def counted(file: io.FileIO, ask: TokenAsk) -> Sequences:
    """Count the sequences of an open file. Where there is a fault, or no such array, that is the `problem`."""
    said = headed(file)
    if said.faults:
        return Sequences(faults=said.faults)
    try:
        ids, mask = _chosen(said, ask)
        tokens = _read(file, said, ids)
        masked = _read(file, said, mask) if mask else None
    except FormatError as error:
        return Sequences(name=ask.tokens, problem=error.what)
    return _tallied(ids, tokens, masked, ask)


def _tallied(ids: Tensor, tokens: _Read, masked: _Read | None, ask: TokenAsk) -> Sequences:
    import numpy as np

    width = ids.shape[-1]
    rows = prod(ids.shape[:-1])
    tally = Tally(ask)
    step = max(1, BLOCK // max(1, width))
    for row in range(0, rows, step) if len(ids.shape) > 1 else ():
        count = min(step, rows - row)
        start, stop = row * width, (row + count) * width
        some = masked.some(start, stop) if masked else None
        tally.take(tokens.some(start, stop), np.arange(count + 1) * width, some)
    return tally.told(ids.key) if len(ids.shape) > 1 else _stream(ids, tokens, ask)


def _stream(ids: Tensor, tokens: _Read, ask: TokenAsk) -> Sequences:
    """One axis: ids one after the other; only the ids are counted, each part as if it were a sequence."""
    import numpy as np
    from msgspec.structs import replace

    tally = Tally(TokenAsk(vocab_size=ask.vocab_size))
    for start in range(0, ids.shape[0], BLOCK):
        some = tokens.some(start, min(start + BLOCK, ids.shape[0]))
        tally.take(some, np.array([0, some.size]))
    return replace(tally.told(ids.key, stream=True), lengths=(), width=0)


def _chosen(said: ArrayHeader, ask: TokenAsk) -> tuple[Tensor, Tensor | None]:
    by_key = {one.key: one for one in said.tensors}
    ids = _named(by_key, ask.tokens) if ask.tokens else _found(said.tensors)
    mask = _named(by_key, ask.mask) if ask.mask else by_key.get(MASK)
    if not _whole(ids) or not ids.shape:
        raise FormatError(f"holds {ids.dtype} of shape {list(ids.shape)}, not token ids: whole numbers in rows")
    if mask and mask.shape != ids.shape:
        raise FormatError(f"has a mask of shape {list(mask.shape)}, but ids of shape {list(ids.shape)}")
    return ids, mask


def _named(by_key: dict[str, Tensor], key: str) -> Tensor:
    if key not in by_key:
        raise FormatError(f"has no array {key!r}; it holds {_listed(list(by_key))}")
    return by_key[key]


def _found(tensors: Sequence[Tensor]) -> Tensor:
    """The array called as ids are, or the only one that can be."""
    likely = [one for one in tensors if one.key == IDS] or [one for one in tensors if _whole(one) and one.key != MASK]
    if len(likely) != 1:
        told = "several arrays that may hold token ids" if likely else "no array of whole numbers"
        raise FormatError(f"has {told}: {_listed([one.key for one in likely or tensors])}; say which by `tokens`")
    return likely[0]


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(keys[:_LISTED]) + (", ..." if len(keys) > _LISTED else "")


def _whole(one: Tensor) -> bool:
    return one.dtype.lstrip("u").startswith("int")


def _read(file: io.FileIO, said: ArrayHeader, one: Tensor) -> _Read:
    how, source = form(one.dtype, one.order), values(file, said, one)
    if how is None or source is None or one.fortran:
        order = ", in Fortran order" if one.fortran else ""
        raise FormatError(f"holds {one.key or 'an array'} of {one.dtype}{order}, which is not read as tokens here")
    return _Read(how, source)
