"""Headers of NIST SPHERE files, in which corpora of speech are handed out, often under the name of WAV.

Source: the manual of NIST's Speech Header Resources 2.6 (a header of text, most often of 1024 bytes). Subtypes are
spelled as libsndfile does; `SHORTEN` is what it cannot read.
"""

from __future__ import annotations

import re

from audit.errors import FormatError
from audit.formats.audio.common import known, used
from audit.formats.audio.wave_format import Coding, header
from audit.formats.pieces import Pieces
from audit.records.audio import Header
from audit.records.signals import Length

MAGIC = b"NIST_1A\n"

_PLACE = 16
"""Bytes of the first two lines: the sign, and the size of the header."""

_MOST = 1 << 16
"""Bytes of a header that are read."""

_NUMBER = re.compile("[0-9]{1,15}")
_WHOLE = {1: "PCM_S8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
_BYTE_EACH = {"ulaw": "ULAW", "mu-law": "ULAW", "alaw": "ALAW"}


def parse(pieces: Pieces) -> Header:
    """The header of a SPHERE file. Raises `FormatError`."""
    size = _whole(pieces.take(len(MAGIC), _PLACE - len(MAGIC)).decode("latin-1"))
    said = _fields(pieces.take(_PLACE, max(0, min(size, _MOST) - _PLACE)))
    rate, channels = _whole(said.get("sample_rate", "")), _whole(said.get("channel_count", "1"))
    frames = _whole(said["sample_count"]) if "sample_count" in said else None
    coding, *packed = said.get("sample_coding", "pcm").split(",")
    if packed:
        form = known("NIST", "SHORTEN" if "shorten" in packed[0] else packed[0], rate, channels)
        return Header(format=form, frames=frames, length=Length.DECLARED)
    told = _coding(coding, _whole(said.get("sample_n_bytes", "2")), rate, channels)
    length, faults = used(None if frames is None else frames * told.frame, pieces.size - size)
    return header(told, frames, length, faults)


def _coding(coding: str, width: int, rate: int, channels: int) -> Coding:
    if coding in _BYTE_EACH:
        return Coding(known("NIST", _BYTE_EACH[coding], rate, channels), channels)
    if coding != "pcm" or width not in _WHOLE:
        raise FormatError(f"declares samples of {width} bytes in a coding that is not known: {coding[:20]}")
    return Coding(known("NIST", _WHOLE[width], rate, channels, width * 8), width * channels)


def _fields(text: bytes) -> dict[str, str]:
    """Name, type (`-i`, `-r`, `-sN`) and value on each line, up to `end_head`."""
    lines = text.decode("latin-1").partition("end_head")[0].splitlines()
    words = (line.split(None, 2) for line in lines)
    return {name: value.strip() for name, _, value in (some for some in words if len(some) == 3)}  # noqa: PLR2004


def _whole(text: str) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise FormatError(f"has {text.strip()[:20]!r} where a number belongs")
    return int(text)
