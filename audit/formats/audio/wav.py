"""Headers of WAV files: RIFF/WAVE, and RF64/BW64 for what is larger than 4 GiB.

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991); RFC 2361, which
lists the codes of codecs; Multiple Channel Audio Data and WAVE Files (Microsoft), on WAVE_FORMAT_EXTENSIBLE;
EBU Tech 3306 and ITU-R BS.2088, on RF64 and BW64. Subtypes are spelled as libsndfile spells them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from audit.errors import FormatError
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

MAGIC = frozenset({b"RIFF", b"RF64", b"BW64"})

_CANONICAL = struct.Struct("<4sI4s4sI16s4sI")
_FMT = struct.Struct("<HHIIHH")
_EXTENSION = struct.Struct("<HHI16s")
_CHUNK = struct.Struct("<4sI")
_DS64 = struct.Struct("<QQQ")
_SUBFORMAT = bytes.fromhex("000000001000800000aa00389b71")
"""What follows the code of the codec in the GUID of a sub-format (KSDATAFORMAT_SUBTYPE)."""

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_CODED = {
    0x02: "MS_ADPCM",
    0x06: "ALAW",
    0x07: "ULAW",
    0x11: "IMA_ADPCM",
    0x31: "GSM610",
    0x50: "MPEG_LAYER_II",
    0x55: "MPEG_LAYER_III",
}
_BYTE_EACH = frozenset({"ALAW", "ULAW"})
_WHOLE = {1: "PCM_U8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
_FLOATS = {4: "FLOAT", 8: "DOUBLE"}

_OPEN = frozenset({0xFFFFFFFF, 0xFFFFFFDB, 0x7FFFFFFF, 0x7FFFFFDB, 0x7FFFF000})
"""Sizes that programs write which do not know how long the sound will be: it goes on to the end of the file."""

_CHUNKS = 1000
"""More chunks than any file has before its sound."""

_PIECE = 48
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


class _Coding(NamedTuple):
    """A format, and the bytes of a frame (one sample of each channel); 0 where frames are packed into blocks."""

    format: AudioFormat
    frame: int


def parse(head: bytes, size: int, read: Read) -> Header:
    """The header of a WAV file of `size` bytes that begins with `head`; what is wrong with it is a fault."""
    try:
        chunks = _canonical(head) or _walk(head, read)
        return _header(_coding(chunks.fmt, _container(head)), chunks, size)
    except FormatError as error:
        return Header(faults=(Fault(kind="header", what=error.what),))


def _container(head: bytes) -> str:
    return "WAV" if head.startswith(b"RIFF") else "RF64"


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
        fmt=fmt.body[: min(fmt.size, 40)],
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


@lru_cache(256)
def _coding(fmt: bytes, container: str) -> _Coding:
    """The format that the chunk `fmt ` describes. Raises `FormatError` where it contradicts itself."""
    if len(fmt) < _FMT.size:
        raise FormatError(f"describes its sound in {len(fmt)} bytes; {_FMT.size} are the least")
    code, channels, rate, _, block, bits = _FMT.unpack_from(fmt)
    if not channels or not rate:
        raise FormatError(f"declares {channels} channels at {rate} Hz")
    valid = bits
    if code == _EXTENSIBLE:
        code, valid = _extended(fmt, bits)
    subtype, width = _subtype(code, block, channels, bits)
    known = AudioFormat(
        container=container,
        subtype=subtype,
        sample_rate_hz=rate,
        channels=channels,
        bits=valid if width and subtype not in _BYTE_EACH else None,
    )
    return _Coding(known, width * channels)


def _extended(fmt: bytes, bits: int) -> tuple[int, int]:
    """The codec and the bits that hold sound, of WAVE_FORMAT_EXTENSIBLE; 0 valid bits mean all."""
    if len(fmt) < _FMT.size + _EXTENSION.size:
        raise FormatError("is WAVE_FORMAT_EXTENSIBLE without its extension")
    _, valid, _, guid = _EXTENSION.unpack_from(fmt, _FMT.size)
    if guid[2:] != _SUBFORMAT:
        raise FormatError(f"has a sub-format that is not known: {guid.hex()}")
    return int.from_bytes(guid[:2], "little"), valid if 0 < valid <= bits else bits


def _subtype(code: int, block: int, channels: int, bits: int) -> tuple[str, int]:
    """The subtype, and the bytes of one sample; 0 where samples are packed into blocks."""
    if code not in {_PCM, _FLOAT}:
        subtype = _CODED.get(code, f"0x{code:04X}")
        return subtype, int(subtype in _BYTE_EACH)
    width = -(-bits // 8)
    subtype = (_WHOLE if code == _PCM else _FLOATS).get(width, "")
    if not subtype or block != width * channels:
        raise FormatError(f"declares samples of {bits} bits, {channels} to a block of {block} bytes")
    return subtype, width


def _header(coding: _Coding, chunks: _Chunks, size: int) -> Header:
    if chunks.data is None:
        fault = Fault(kind="truncated", what="ends before its sound begins: there is no chunk `data`")
        return Header(format=coding.format, frames=0, faults=(fault,))
    there = size - chunks.data
    used, faults = _used(chunks.declared, there)
    if not coding.frame:
        return Header(format=coding.format, frames=chunks.fact, length=Length.DECLARED, faults=faults)
    if used % coding.frame and not faults:
        faults = (Fault(kind="ragged", what=f"ends within a sample: {used} bytes in frames of {coding.frame}"),)
    return Header(format=coding.format, frames=used // coding.frame, faults=faults)


def _used(declared: int | None, there: int) -> tuple[int, tuple[Fault, ...]]:
    """The bytes of sound, of those that are `there`, and what is wrong with them."""
    if not declared and not there:
        return 0, (Fault(kind="empty", what="holds no sound"),)
    if declared is None:
        return there, ()
    if not declared:
        what = f"declares no sound, though {there} bytes follow: was it written to its end?"
        return 0, (Fault(kind="empty", what=what, expected=0, found=there),)
    return _measured(declared, there)


def _measured(declared: int, there: int) -> tuple[int, tuple[Fault, ...]]:
    """Chunks may stand behind the sound, but a RIFF file is no larger than its sizes can say."""
    more = there - declared
    if more < 0:
        what = f"is cut: {-more} of {declared} bytes of sound are missing"
        return there, (Fault(kind="truncated", what=what, expected=declared, found=there),)
    if more >= _WRAP:
        what = f"holds {more // _WRAP} x 4 GiB more than its header can say: most readers stop early"
        fault = Fault(kind="wrapped", what=what, expected=declared, found=there)
        return declared + more // _WRAP * _WRAP, (fault,)
    return declared, ()
