"""How sound is stored, as the chunk `fmt ` of WAV and W64 describes it (WAVEFORMATEX).

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991); RFC 2361, which
lists the codes of codecs; Multiple Channel Audio Data and WAVE Files (Microsoft), on WAVE_FORMAT_EXTENSIBLE; New
Multimedia Data Types and Data Techniques (Microsoft, 1994), on blocks of ADPCM.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.audio.common import audible, known
from audit.records.audio import AudioFormat, Header
from audit.records.signals import Fault, Length

LONGEST = 40
"""Bytes of the longest description that is understood."""

_FMT = struct.Struct("<HHIIHH")
_EXTENSION = struct.Struct("<HHI16s")
_SUBFORMATS = frozenset({bytes.fromhex("000000001000800000aa00389b71"), bytes.fromhex("00002107d3118644c8c1ca000000")})
"""What follows the code of the codec in the GUID of a sub-format: KSDATAFORMAT_SUBTYPE, and that of Ambisonics."""

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_CODED = {
    0x02: "MS_ADPCM",
    0x06: "ALAW",
    0x07: "ULAW",
    0x11: "IMA_ADPCM",
    0x31: "GSM610",
    0x40: "G721_32",
    0x50: "MPEG_LAYER_II",
    0x55: "MPEG_LAYER_III",
}
_NMS = 0x38
_BYTE_EACH = frozenset({"ALAW", "ULAW"})
_WHOLE = {1: "PCM_U8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
_FLOATS = {4: "FLOAT", 8: "DOUBLE"}
_WIDE, _WIDEST = 24, 4
"""Up to so many bits may stand in samples of so many bytes, whatever the format's rule on rounding up."""


class Coding(NamedTuple):
    """A format, and how much of it is how long.

    `frame` are the bytes of a frame (one sample of each channel), 0 where frames are packed into blocks; `block` are
    the bytes of such a block, and `packed` its frames, 0 where that is not known.
    """

    format: AudioFormat
    frame: int
    block: int = 0
    packed: int = 0


@lru_cache(256)
def coding(fmt: bytes, container: str) -> Coding:
    """The format that the chunk `fmt ` describes. Raises `FormatError` where it contradicts itself."""
    if len(fmt) < _FMT.size:
        raise FormatError(f"describes its sound in {len(fmt)} bytes; {_FMT.size} are the least")
    code, channels, rate, _, block, bits = _FMT.unpack_from(fmt)
    audible(rate, channels)
    valid = bits
    if code == _EXTENSIBLE:
        code, valid = _extended(fmt, bits)
    subtype, width = _subtype(code, block, channels, bits)
    form = known(container, subtype, rate, channels, valid if width and subtype not in _BYTE_EACH else None)
    return Coding(form, width * channels, *_packed(subtype, channels, block))


def _extended(fmt: bytes, bits: int) -> tuple[int, int]:
    """The codec and the bits that hold sound, of WAVE_FORMAT_EXTENSIBLE; 0 valid bits mean all."""
    if len(fmt) < _FMT.size + _EXTENSION.size:
        raise FormatError("is WAVE_FORMAT_EXTENSIBLE without its extension")
    _, valid, _, guid = _EXTENSION.unpack_from(fmt, _FMT.size)
    if guid[2:] not in _SUBFORMATS:
        raise FormatError(f"has a sub-format that is not known: {guid.hex()}")
    return int.from_bytes(guid[:2], "little"), valid if 0 < valid <= bits else bits


def _subtype(code: int, block: int, channels: int, bits: int) -> tuple[str, int]:
    """The subtype, and the bytes of one sample; 0 where samples are packed into blocks."""
    if code not in {_PCM, _FLOAT}:
        subtype = f"NMS_ADPCM_{bits * 8}" if code == _NMS else _CODED.get(code, f"0x{code:04X}")
        return subtype, int(subtype in _BYTE_EACH)
    width = -(-bits // 8)
    if code == _PCM and 0 < bits <= _WIDE and block == _WIDEST * channels:
        width = _WIDEST
    subtype = (_WHOLE if code == _PCM else _FLOATS).get(width, "")
    if not subtype or block != width * channels:
        raise FormatError(f"declares samples of {bits} bits, {channels} to a block of {block} bytes")
    return subtype, width


def _packed(subtype: str, channels: int, block: int) -> tuple[int, int]:
    """The bytes of a block, and the frames in it, as the coding prescribes; 0, 0 where that is not known.

    IMA's and Microsoft's blocks have 4 bits a sample behind the first one or two. Those of the others are fixed, some
    in the practice of libsndfile alone.
    """
    if subtype == "IMA_ADPCM" and block > 4 * channels:
        return block, (block - 4 * channels) * 2 // channels + 1
    if subtype == "MS_ADPCM" and block > 7 * channels:
        return block, (block - 7 * channels) * 2 // channels + 2
    if subtype.startswith("NMS_ADPCM") and block:
        return block, 160
    return {"GSM610": (65, 320), "G721_32": (60, 120)}.get(subtype, (0, 0))


def header(told: Coding, fact: int | None, length: int, faults: tuple[Fault, ...]) -> Header:
    """What `length` bytes of sound in this coding are; `fact` is the number of frames that the header declares.

    Of blocks, programs declare all kinds of numbers, libsndfile those of half the sound where there are two channels:
    what is declared counts where it falls into the last block, and else as many whole blocks as there are.
    """
    if told.frame:
        if length % told.frame and not faults:
            faults = (Fault(kind="ragged", what=f"ends within a sample: {length} bytes in frames of {told.frame}"),)
        return Header(format=told.format, frames=length // told.frame, faults=faults)
    if not told.packed:
        return Header(format=told.format, frames=fact, length=Length.DECLARED, faults=faults)
    whole = length // told.block * told.packed
    if fact is not None and whole - told.packed < fact <= whole + told.packed:
        return Header(format=told.format, frames=fact, length=Length.DECLARED, faults=faults)
    return Header(format=told.format, frames=whole, length=Length.ESTIMATED, faults=faults)
