"""How AAC is stored, as MP4 describes it (AudioSpecificConfig).

Source: ISO/IEC 14496-3, 1.6.2.1 (the configuration), 1.6.3.4 (rates), 1.6.3.5 (channels), 1.6.5 (spectral band
replication told behind what older decoders read).
"""

from __future__ import annotations

from audit.formats.pieces import UnsupportedError

RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)

_ESCAPE_KIND, _ESCAPE_RATE = 31, 15
_SBR, _PS = 5, 29
_SYNC = 0x2B7
"""Eleven bits before what is told of spectral band replication behind the configuration."""

_SEVEN, _EIGHT = 7, 8


class _Bits:
    """Bits one behind the other; zeros behind the last."""

    def __init__(self, data: bytes) -> None:
        self._bits = int.from_bytes(data, "big")
        self._left = len(data) * 8

    def take(self, count: int) -> int:
        self._left -= count
        bits = self._bits >> self._left if self._left >= 0 else self._bits << -self._left
        return bits & (1 << count) - 1


def channels(code: int) -> int:
    """So many channels as this configuration has. Raises `UnsupportedError` where it does not say."""
    if not 0 < code <= _SEVEN:
        raise UnsupportedError("is AAC that does not say in its header how many channels it has")
    return _EIGHT if code == _SEVEN else code


def configured(data: bytes) -> tuple[int, int]:
    """The rate of the decoded sound and its channels. Raises `UnsupportedError` where they are not said."""
    bits = _Bits(data)
    kind, rate, code = _kind(bits), _rate(bits), bits.take(4)
    if kind in {_SBR, _PS}:
        rate = _rate(bits)
    elif len(data) > _SEVEN // 2 + 1:
        rate = _told_behind(data) or rate
    return rate, 2 if kind == _PS and code == 1 else channels(code)


def _kind(bits: _Bits) -> int:
    kind = bits.take(5)
    return 32 + bits.take(6) if kind == _ESCAPE_KIND else kind


def _rate(bits: _Bits) -> int:
    code = bits.take(4)
    if code == _ESCAPE_RATE:
        return bits.take(24)
    if code >= len(RATES):
        raise UnsupportedError("is AAC at a sample rate that is not known")
    return RATES[code]


def _told_behind(data: bytes) -> int:
    """The rate with spectral band replication, where it is told behind the configuration of plain AAC; 0 if not."""
    bits = _Bits(data[2:])
    if bits.take(11) != _SYNC or _kind(bits) != _SBR or not bits.take(1):
        return 0
    return _rate(bits)
