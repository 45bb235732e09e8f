"""Samples that a WAV file stores as they are: they are taken from its bytes, for there is nothing to decode.

libsndfile does the same with them, and both are held against each other in the tests, bit by bit. Only what could not
be read in two ways is taken so: a file without a fault whose `fmt ` is the plain one of 16 bytes, behind which at most
the chunks of numbers of floats stand before the sound. All others are opened by libsndfile.
Source: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from audit.records.audio import AudioFormat, Header

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.floating[Any]]

_FMT = struct.Struct("<4xI")
_BEGIN = b"WAVEfmt \x10\0\0\0"
_CHUNKS = 36
"""Where the chunks behind the plain `fmt ` begin."""

_PASSED = frozenset({b"fact", b"PEAK"})
_MOST_CHANNELS, _MOST_HZ = 1024, 655_350
"""libsndfile takes no more channels; and what is said to be sampled faster is not taken from its word."""


class _Kind(NamedTuple):
    """How one sample is stored, what it becomes, and full scale."""

    stored: str
    becomes: str
    full: float
    bits: int


_KINDS = {
    "PCM_16": _Kind("<i2", "f4", 1 << 15, 16),
    "PCM_32": _Kind("<i4", "f4", 1 << 31, 32),
    "FLOAT": _Kind("<f4", "f4", 1, 32),
    "DOUBLE": _Kind("<f8", "f8", 1, 64),
}


class Stored(NamedTuple):
    """Where the samples are: so many frames from `start` on."""

    format: AudioFormat
    start: int
    frames: int


def stored(said: Header, head: bytes) -> Stored | None:
    """Where the samples are in a file with this header that begins with `head`; None where it is to be decoded."""
    form = said.format
    if said.faults or not said.frames or not form or form.container != "WAV":
        return None
    kind = _KINDS.get(form.subtype)
    if not kind or form.bits != kind.bits or form.channels > _MOST_CHANNELS or form.sample_rate_hz > _MOST_HZ:
        return None
    start = _start(head)
    return Stored(form, start, said.frames) if start else None


def _start(head: bytes) -> int:
    """Where the sound begins; 0 where the layout is another."""
    place = _CHUNKS if head[8:20] == _BEGIN else len(head)
    while (name := head[place : place + 4]) in _PASSED and place + _FMT.size <= len(head):
        (size,) = _FMT.unpack_from(head, place)
        place += _FMT.size + size + size % 2
    return place + _FMT.size if name == b"data" else 0


def blocks(found: Stored, read: Callable[[int, int], bytes], most: int) -> Iterator[Samples]:
    """The samples (frames, channels), up to `most` frames at a time. Raises `OSError` where they are not there."""
    import numpy as np

    kind, channels = _KINDS[found.format.subtype], found.format.channels
    width, scale = channels * kind.bits // 8, np.dtype(kind.becomes).type(1 / kind.full)
    for first in range(0, found.frames, most):
        count = min(most, found.frames - first)
        data = read(found.start + first * width, count * width)
        if len(data) < count * width:
            raise OSError("its end is nearer than it was")
        samples = np.frombuffer(data, kind.stored).astype(kind.becomes)
        yield (samples if kind.full == 1 else samples * scale).reshape(count, channels)
