"""Headers of Wave64 files, which have WAV's chunks with names of 16 bytes and sizes of 8.

Source: Sonic Foundry Wave64 File Format (Sony Pictures Digital, 2003). The size of a chunk counts its own header;
chunks begin at multiples of 8 bytes.
"""

from __future__ import annotations

import struct

from audit.errors import FormatError
from audit.formats.audio.common import used
from audit.formats.audio.wave_format import LONGEST, coding, header
from audit.formats.pieces import Pieces
from audit.records.audio import Header

MAGIC = bytes.fromhex("726966662e91cf11a5d628db04c10000")

_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")
"""What follows the four letters in the name of each chunk but the first."""

_CHUNK = struct.Struct("<4s12sQ")
_FIRST, _FACT = 40, 8
_CHUNKS = 1000
"""More chunks than any file has before its sound."""


def parse(pieces: Pieces) -> Header:
    """The header of a Wave64 file. Raises `FormatError`."""
    if pieces.take(24, 16) != b"wave" + _TAIL:
        raise FormatError("is a Wave64 file, but none of sound")
    fmt, fact, place = b"", None, _FIRST
    for _ in range(_CHUNKS):
        name, tail, size = _CHUNK.unpack(pieces.take(place, _CHUNK.size))
        body = place + _CHUNK.size
        if tail != _TAIL or size < _CHUNK.size:
            raise FormatError("has no chunk where one belongs")
        if name == b"data":
            return header(coding(fmt, "W64"), fact, *used(size - _CHUNK.size, pieces.size - body))
        if name == b"fmt ":
            fmt = pieces.take(body, min(size - _CHUNK.size, LONGEST))
        elif name == b"fact":
            fact = int.from_bytes(pieces.take(body, _FACT), "little")
        place += size + -size % 8
    raise FormatError(f"has no sound in its first {_CHUNKS} chunks")
