"""What Pillow calls the colours of a TIFF. Source: TIFF 6.0, sections 4 to 6, 16, 18 to 20 and 23."""

from __future__ import annotations

from collections.abc import Sequence

from audit.errors import FormatError
from audit.formats.images.common import known
from audit.formats.pieces import UnsupportedError
from audit.records.base import Record
from audit.records.image import PictureFormat

_PALETTE, _MULTIBAND = 3, "multiband"
_GREY = frozenset({0, 1})
_BASE = {0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 6: 3, 8: 3, 9: 3}
"""Samples of a pixel without extra ones, by photometric interpretation."""

_COLOURS = {2: "RGB", 3: "P", 5: "CMYK", 8: "LAB", 9: "LAB"}
_YCBCR = 6
_UNSIGNED, _FLOAT = 1, 3
_GREYS = {1: "1", 2: "L", 4: "L", 8: "L"}
_WORDS = frozenset({12, 16})
_UNSPECIFIED, _ASSOCIATED = 0, 1


class Samples(Record):
    """What the tags of a page say of its samples.

    In the words of TIFF 6.0 `colour` is PhotometricInterpretation, `count` SamplesPerPixel, `bits` BitsPerSample,
    `number` SampleFormat, `extra` ExtraSamples. `packed`: the samples are compressed.
    """

    colour: int
    count: int
    bits: Sequence[int]
    number: int
    extra: Sequence[int]
    packed: bool
    big_endian: bool


def format_of(said: Samples) -> PictureFormat:
    """The format of these samples; `multiband` where Pillow has no word. Raises `FormatError`."""
    if said.colour not in _BASE:
        raise UnsupportedError(f"has colours of kind {said.colour} (PhotometricInterpretation), not understood here")
    bits = set(said.bits[: said.count])
    if len(bits) != 1 or said.count < 1:
        raise UnsupportedError(f"has samples of {', '.join(map(str, said.bits))} bits, which are not understood")
    (deep,) = bits
    if deep < 1:
        raise FormatError(f"declares samples of {deep} bits")
    return known("TIFF", _mode(said, deep), said.count, deep)


def _mode(said: Samples, bits: int) -> str:
    base = 1 if said.colour == _YCBCR and said.count == 1 else _BASE[said.colour]
    more = said.count - base
    if more < 0:
        raise FormatError(f"declares {said.count} samples a pixel, too few for its colours")
    if said.colour in _GREY:
        return _grey(said, bits, more)
    if said.colour == _YCBCR:
        return "L" if base == 1 else "RGB" if said.packed else "YCbCr"
    mode = _COLOURS[said.colour]
    kind = said.extra[0] if said.extra else None
    if not more or kind == _UNSPECIFIED:
        return mode
    return {"RGB": "RGBA", "P": "PA"}.get(mode, mode)


def _grey(said: Samples, bits: int, more: int) -> str:
    if more > 1:
        return _MULTIBAND
    if more:
        return {_UNSPECIFIED: "L", _ASSOCIATED: "La"}.get(said.extra[0] if said.extra else -1, "LA")
    if said.number == _FLOAT:
        return "F"
    if bits in _WORDS and said.number == _UNSIGNED:
        return "I;16B" if said.big_endian and bits == 16 else "I;16"  # noqa: PLR2004
    return _GREYS.get(bits, "I")
