"""How the sound of an MP4 file is stored, as its sample description (`stsd`) says.

Sources: ISO/IEC 14496-12, 12.2.3 (AudioSampleEntry); QuickTime File Format (Apple), on versions 1 and 2 of it;
ISO/IEC 14496-1, 7.2.6 (`esds`: descriptors); Apple Lossless Format Specification (`alac`); Encapsulation of Opus in
ISO Base Media File Format (`dOps`); Encapsulation of FLAC in it (`dfLa`).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from audit.formats.audio.aac import configured
from audit.formats.audio.boxes import Box, boxes
from audit.formats.audio.common import known
from audit.formats.audio.flac import STREAMINFO, stream_info
from audit.formats.pieces import Pieces, UnsupportedError
from audit.records.audio import AudioFormat

_ENTRY = struct.Struct(">8xH6xHHHHI")
"""Behind the name of a codec: version, channels, bits, two that do not matter, rate as 16.16."""

_SECOND = struct.Struct(">dI4xI")
"""What version 2 has besides, from its 4th byte on: rate, channels, bits."""

_MORE = {0: 0, 1: 16, 2: 36}
"""Bytes that a version of the entry has besides."""

_OPUS_RATE = 48000
_AAC = frozenset({0x40, 0x66, 0x67, 0x68})
_LAYER_III = frozenset({0x69, 0x6B})
"""MPEG-2 and MPEG-1; whether it is layer III or another, only the sound says."""

_CODED = {b".mp3": "MPEG_LAYER_III", b"ulaw": "ULAW", b"alaw": "ALAW", b"ima4": "IMA_ADPCM", b"ac-3": "AC3"} | {
    b"ec-3": "EAC3",
    b"agsm": "GSM610",
    b"fl32": "FLOAT",
    b"fl64": "DOUBLE",
    b"samr": "AMR",
    b"sawb": "AMR_WB",
}
_PCM = frozenset({b"sowt", b"twos", b"lpcm", b"in24", b"in32", b"ipcm"})
_WHOLE = {8: "PCM_S8", 16: "PCM_16", 24: "PCM_24", 32: "PCM_32"}


class _Entry(NamedTuple):
    """What every codec says of itself; `box` holds what it says besides."""

    codec: bytes
    channels: int
    bits: int
    rate: int
    box: Box


def described(pieces: Pieces, stsd: Box) -> AudioFormat:
    """The first description of sound. Raises `FormatError`."""
    entry = _entry(pieces, stsd)
    if entry.codec == b"mp4a":
        return _mpeg4(pieces, entry)
    if entry.codec == b"alac":
        return _alac(pieces, entry)
    if entry.codec == b"Opus":
        return known("MP4", "OPUS", _OPUS_RATE, entry.channels)
    if entry.codec == b"fLaC" and (box := _child(pieces, entry.box, b"dfLa")):
        return stream_info(box.take(pieces, 8, STREAMINFO), "MP4").format
    return _plain(entry)


def _entry(pieces: Pieces, stsd: Box) -> _Entry:
    box = next(iter(boxes(pieces, stsd.at + 8, stsd.end)), None)
    if box is None:
        raise UnsupportedError("has a track of sound that does not say how it is stored")
    version, channels, bits, _, _, rate = _ENTRY.unpack(box.take(pieces, 0, _ENTRY.size))
    rate >>= 16
    if version == 2:  # noqa: PLR2004 - for what does not fit into the first
        hertz, channels, bits = _SECOND.unpack(box.take(pieces, _ENTRY.size + 4, _SECOND.size))
        rate = round(hertz) if 0 < hertz < 1 << 32 else 0
    return _Entry(box.name, channels, bits, rate, Box(box.name, box.at + _ENTRY.size + _MORE.get(version, 0), box.end))


def _child(pieces: Pieces, box: Box, name: bytes) -> Box | None:
    """A box in this one, or, as in QuickTime, in its `wave`."""
    for one in boxes(pieces, box.at, box.end):
        if one.name == name:
            return one
        if one.name == b"wave":
            return next((inner for inner in boxes(pieces, one.at, one.end) if inner.name == name), None)
    return None


def _plain(entry: _Entry) -> AudioFormat:
    codec, channels, bits, rate, _ = entry
    if codec in _PCM:
        if bits not in _WHOLE:
            raise UnsupportedError(f"declares samples of {bits} bits")
        return known("MP4", _WHOLE[bits], rate, channels, bits)
    return known("MP4", _CODED.get(codec, codec.decode("latin-1").strip()), rate, channels)


def _alac(pieces: Pieces, entry: _Entry) -> AudioFormat:
    """The magic cookie: bits in its 6th byte, channels in its 10th, rate in the last four of 24."""
    box = _child(pieces, entry.box, b"alac")
    if box is None:
        raise UnsupportedError("is Apple Lossless without its description")
    cookie = box.take(pieces, 4, 24)
    return known("MP4", f"ALAC_{cookie[5]}", int.from_bytes(cookie[20:], "big"), cookie[9], cookie[5])


def _mpeg4(pieces: Pieces, entry: _Entry) -> AudioFormat:
    box = _child(pieces, entry.box, b"esds")
    found = _descriptors(box.take(pieces, 4, min(box.end - box.at - 4, 512))) if box else {}
    kind = found.get(4, b"\0")[0]
    if kind in _AAC and 5 in found:  # noqa: PLR2004 - DecoderSpecificInfo
        return known("MP4", "AAC", *configured(found[5]))
    subtype = "AAC" if kind in _AAC else "MPEG_LAYER_III" if kind in _LAYER_III else f"mp4a.{kind:02X}"
    return known("MP4", subtype, entry.rate, entry.channels)


def _descriptors(data: bytes) -> dict[int, bytes]:
    """Descriptors by their tag, one in the other: ES (3), DecoderConfig (4), DecoderSpecificInfo (5)."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 2 <= len(data) and data[at] not in found:
        tag, at, size = data[at], at + 1, 0
        for _ in range(4):
            if at < len(data):
                byte, at = data[at], at + 1
                size = size << 7 | byte & 0x7F
                if byte < 0x80:  # noqa: PLR2004 - no byte of the size follows
                    break
        if data[at : at + size]:
            found[tag] = data[at : at + size]
        at += _fixed(tag, data[at : at + 3]) if tag in {3, 4} else size
    return found


def _fixed(tag: int, body: bytes) -> int:
    """Bytes of a descriptor before those in it."""
    if tag == 4 or len(body) < 3:  # noqa: PLR2004 - DecoderConfig; the flags of ES
        return 13
    flags = body[2]
    return 3 + (2 if flags & 0x80 else 0) + (2 if flags & 0x20 else 0)
