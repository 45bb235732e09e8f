"""Headers of WAV files: RIFF/WAVE, and RF64/BW64 for what is larger than 4 GiB.

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991); EBU Tech 3306 and
ITU-R BS.2088, on RF64 and BW64. Subtypes are spelled as libsndfile spells them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.audio.common import used
from audit.formats.audio.wave_format import LONGEST, coding, header
from audit.formats.pieces import Read
from audit.records.audio import Header
from audit.records.signals import Fault

MAGIC = frozenset({b"RIFF", b"RF64", b"BW64"})

_CANONICAL = struct.Struct("<4sI4s4sI16s4sI")
_CHUNK = struct.Struct("<4sI")
_DS64 = struct.Struct("<QQQ")

_OPEN = frozenset({0xFFFFFFFF, 0xFFFFFFDB, 0x7FFFFFFF, 0x7FFFFFDB, 0x7FFFF000})
"""Sizes that programs write which do not know how long the sound will be: it goes on to the end of the file."""

_CHUNKS = 1000
"""More chunks than any file has before its sound."""

_PIECE = 8 + LONGEST
"""Bytes of a chunk that are looked at: its name, its size, and the longest description of a format."""

_FACT = 4
"""Bytes of the number of frames in the chunk `fact`."""

_WRAP = 1 << 32


class _Chunks(NamedTuple):
    """Where things are. `declared` are the bytes of sound that the header names, None where it leaves that open."""

    fmt: bytes
    data: int | None = None
    declared: int | None = None
    fact: int | None = None


class _Chunk(NamedTuple):
    """A chunk: how much its header says it holds, where that begins, and the first 40 bytes of it."""

    name: bytes
    size: int
    body: bytes
    place: int


def parse(head: bytes, size: int, read: Read) -> Header:
    """The header of a WAV file of `size` bytes that begins with `head`; what is wrong with it is a fault."""
    try:
        chunks = _canonical(head) or _walk(head, read)
        told = coding(chunks.fmt, "WAV" if head.startswith(b"RIFF") else "RF64")
    except FormatError as error:
        return Header(faults=(Fault(kind="header", what=error.what),))
    if chunks.data is None:
        fault = Fault(kind="truncated", what="ends before its sound begins: there is no chunk `data`")
        return Header(format=told.format, frames=0, faults=(fault,))
    return header(told, chunks.fact, *_used(chunks.declared, size - chunks.data))


def _canonical(head: bytes) -> _Chunks | None:
    """The layout of nearly all files: 44 bytes, then the sound."""
    if len(head) < _CANONICAL.size:
        return None
    riff, _, wave, name, length, fmt, data, declared = _CANONICAL.unpack_from(head)
    if (riff, wave, name, length, data) != (b"RIFF", b"WAVE", b"fmt ", 16, b"data"):
        return None
    return _Chunks(fmt, _CANONICAL.size, None if declared in _OPEN else declared)


def _walk(head: bytes, read: Read) -> _Chunks:
    """Whatever the order in which the chunks stand; of several of one name the first counts."""
    if head[8:12] != b"WAVE":
        raise FormatError("is a RIFF file, but none of sound")
    found: dict[bytes, _Chunk] = {}
    for chunk in _each(head, read):
        found.setdefault(chunk.name, chunk)
        if found.keys() >= {b"fmt ", b"data"}:
            break
    if b"fmt " not in found:
        raise FormatError("does not say how its sound is stored: there is no chunk `fmt `")
    fmt, data, fact = found[b"fmt "], found.get(b"data"), found.get(b"fact")
    return _Chunks(
        fmt=fmt.body[: min(fmt.size, LONGEST)],
        data=data.place if data else None,
        declared=data.size if data and data.size not in _OPEN else None,
        fact=int.from_bytes(fact.body[:4], "little") if fact and fact.size >= _FACT else None,
    )


def _each(head: bytes, read: Read) -> Iterator[_Chunk]:
    """From chunk to chunk; an odd one is padded by a byte, and the sound of RF64 has its size in an earlier one."""
    place, large = 12, None
    for _ in range(_CHUNKS):
        piece = head[place : place + _PIECE] if place + _PIECE <= len(head) else read(place, _PIECE)
        if len(piece) < _CHUNK.size:
            return
        name, size = _CHUNK.unpack_from(piece)
        body = piece[_CHUNK.size :]
        if name == b"ds64" and len(body) >= _DS64.size:
            large = _DS64.unpack_from(body)[1]
        if name == b"data" and size == _WRAP - 1 and large is not None:
            size = large
        place += _CHUNK.size
        yield _Chunk(name, size, body, place)
        place += size + size % 2


def _used(declared: int | None, there: int) -> tuple[int, tuple[Fault, ...]]:
    """Chunks may stand behind the sound, but a RIFF file is no larger than its sizes can say."""
    more = there - declared if declared else 0
    if not declared or more < _WRAP:
        return used(declared, there)
    what = f"holds {more // _WRAP} x 4 GiB more than its header can say: most readers stop early"
    fault = Fault(kind="wrapped", what=what, expected=declared, found=there)
    return declared + more // _WRAP * _WRAP, (fault,)
