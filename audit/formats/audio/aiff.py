"""Headers of AIFF and AIFF-C files.

Sources: Audio Interchange File Format, version 1.3 (Apple, 1989); Audio Interchange File Format AIFF-C, draft
(Apple, 1991); QuickTime File Format, on the codes of codecs that came later. Subtypes are spelled as libsndfile does.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.audio.common import disagreeing, known, used
from audit.formats.audio.wave_format import Coding, header
from audit.formats.pieces import CutError, Pieces, UnsupportedError
from audit.records.audio import Header
from audit.records.signals import Fault

MAGIC = b"FORM"

_CHUNK = struct.Struct(">4sI")
_COMMON = struct.Struct(">HIH10s")
_SOUND = struct.Struct(">II")
_CODEC = 4
_CHUNKS = 1000
"""More chunks than any file has."""

_WHOLE = {1: "PCM_S8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
_PLAIN = frozenset({b"NONE", b"twos", b"sowt", b"in16", b"in24", b"in32", b"42ni", b"23ni"})
_SIZED = {
    b"raw ": ("PCM_U8", 1),
    b"fl32": ("FLOAT", 4),
    b"fl64": ("DOUBLE", 8),
    b"ulaw": ("ULAW", 1),
    b"alaw": ("ALAW", 1),
}
"""The subtype, and the bytes of a sample."""

_PACKED = {b"ima4": ("IMA_ADPCM", 34, 64), b"gsm ": ("GSM610", 33, 160)}
"""The subtype, the bytes of a packet of one channel, and the samples in it."""

_WIDTHS = {b"in16": 16, b"in24": 24, b"42ni": 24, b"in32": 32, b"23ni": 32}


class _Common(NamedTuple):
    """The chunk COMM: `frames` are packets where samples are packed."""

    coding: Coding
    frames: int


def parse(pieces: Pieces) -> Header:
    """The header of an AIFF file. Raises `FormatError`."""
    form = pieces.take(8, 4)
    if form not in {b"AIFF", b"AIFC"}:
        raise FormatError("is an IFF file, but none of sound")
    common = sound = None
    for name, place, size in _chunks(pieces):
        if name == b"COMM":
            common = _common(pieces.take(place, min(size, _COMMON.size + _CODEC)), coded=form == b"AIFC")
        elif name == b"SSND" and sound is None:
            offset, _ = _SOUND.unpack(pieces.take(place, _SOUND.size))
            sound = place + _SOUND.size + offset, size - _SOUND.size - offset
        if common and sound:
            return _header(common, sound[1], pieces.size - sound[0])
    if common and not common.frames:
        return Header(format=common.coding.format, frames=0, faults=(Fault(kind="empty", what="holds no sound"),))
    raise CutError(f"ends before its {'sound begins (SSND)' if common else 'header does: there is no chunk COMM'}")


def _chunks(pieces: Pieces) -> Iterator[tuple[bytes, int, int]]:
    """The name of each chunk, where its content begins and how long that is; an odd one is padded by a byte."""
    place = 12
    for _ in range(_CHUNKS):
        piece = pieces.some(place, _CHUNK.size)
        if len(piece) < _CHUNK.size:
            return
        name, size = _CHUNK.unpack(piece)
        yield name, place + _CHUNK.size, size
        place += _CHUNK.size + size + size % 2


def _common(body: bytes, *, coded: bool) -> _Common:
    if len(body) < _COMMON.size + _CODEC * coded:
        raise FormatError(f"describes its sound in {len(body)} bytes, which is too few")
    channels, frames, bits, rate = _COMMON.unpack_from(body)
    codec = body[_COMMON.size :] if coded else b"NONE"
    return _Common(_coding(codec, channels, bits, extended(rate)), frames)


def _coding(codec: bytes, channels: int, bits: int, rate: int) -> Coding:
    if codec in _PLAIN:
        bits = _WIDTHS.get(codec, bits)
        width = -(-bits // 8)
        if width not in _WHOLE:
            raise FormatError(f"declares samples of {bits} bits")
        return Coding(known("AIFF", _WHOLE[width], rate, channels, bits), width * channels)
    lower = codec.lower()
    if lower in _SIZED:
        subtype, width = _SIZED[lower]
        plain = None if subtype in {"ULAW", "ALAW"} else width * 8
        return Coding(known("AIFF", subtype, rate, channels, plain), width * channels)
    if lower in _PACKED:
        subtype, block, packed = _PACKED[lower]
        return Coding(known("AIFF", subtype, rate, channels), 0, block * channels, packed)
    word = codec.decode("latin-1").strip()
    return Coding(known("AIFF", f"{word}_{bits}" if word == "DWVW" else word, rate, channels), 0)


def _header(common: _Common, declared: int, there: int) -> Header:
    """COMM and SSND both say how much there is; more in COMM than there can be is told, and the data believed."""
    told, frames = common
    if declared < 0 or there < 0:
        raise CutError("ends before its sound begins")
    length, faults = used(declared, there)
    if told.frame and frames != length // told.frame and not faults:
        faults = (disagreeing(frames, length // told.frame),)
    if told.block and told.packed and frames == length // told.block:
        frames *= told.packed
    return header(told, frames, length, faults)


def extended(number: bytes) -> int:
    """A rate in the 80 bits of IEEE 754 extended precision, whole: sign and exponent, then 64 bits with their point.

    Raises `UnsupportedError` where it is no rate at which anything was ever recorded.
    """
    exponent, mantissa = int.from_bytes(number[:2], "big"), int.from_bytes(number[2:], "big")
    if not 16383 <= exponent < 16383 + 32:  # noqa: PLR2004 - the bias: from 1 to 2**32
        raise UnsupportedError(f"declares a sample rate that is none: {number.hex()}")
    return round(Fraction(mantissa, 1 << 63) * (1 << (exponent - 16383)))
