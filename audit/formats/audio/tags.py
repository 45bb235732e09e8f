"""Tags that stand before and behind the sound of a file.

Sources: ID3v2.4, section 3.1 (and 3.4: a footer), with the same head in 2.2 and 2.3; ID3v1; APEv2; Lyrics3 v2.00.
"""

from __future__ import annotations

from audit.formats.pieces import CutError, Pieces

_ID3V1, _APE, _LYRICS = 128, 32, 15
"""Bytes of an ID3v1, of the last part of an APE tag, and of Lyrics3's."""

_SEVERAL = 8
"""More tags than ever stand one behind the other."""


def before(pieces: Pieces) -> int:
    """The bytes of ID3v2 in front of the sound. Raises `CutError` where the file ends within them."""
    place = 0
    for _ in range(_SEVERAL):
        head = pieces.some(place, 10)
        if len(head) < 10 or not head.startswith(b"ID3") or max(head[6:]) > 0x7F:  # noqa: PLR2004 - 7 bits a byte
            return place
        size = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
        place += size + (20 if head[5] & 0x10 else 10)
        if place >= pieces.size:
            raise CutError(f"ends after {pieces.size:,} bytes, within the tags (ID3) before its sound")
    return place


def end(pieces: Pieces) -> int:
    """Where the sound ends, and ID3v1, APE and Lyrics3 begin."""
    place = pieces.size
    if pieces.some(place - _ID3V1, 3) == b"TAG":
        place -= _ID3V1
    for _ in range(_SEVERAL):
        size = _ape(pieces, place) or _lyrics(pieces, place)
        if not 0 < size <= place:
            break
        place -= size
    return place


def _ape(pieces: Pieces, place: int) -> int:
    foot = pieces.some(place - _APE, _APE) if place >= _APE else b""
    if not foot.startswith(b"APETAGEX"):
        return 0
    headed = _APE if foot[23] & 0x80 else 0
    return int.from_bytes(foot[12:16], "little") + headed


def _lyrics(pieces: Pieces, place: int) -> int:
    foot = pieces.some(place - _LYRICS, _LYRICS) if place >= _LYRICS else b""
    return int(foot[:6]) + _LYRICS if foot[6:] == b"LYRICS200" and foot[:6].isdigit() else 0
