r"""ZIP archives: their directory, and the head of a member without the rest of it.

Source: APPNOTE.TXT of PKWARE, 6.3.10, sections 4.3 and 4.5.3 (zip64). No member is trusted to be as it says: members
lie apart, in the file and before the directory, and no more of one is unpacked than is asked for.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from operator import attrgetter
from struct import Struct
from typing import NamedTuple

from audit.formats.arrays.common import BadError
from audit.formats.arrays.pieces import Pieces

SIGN = b"PK\3\4"
EMPTY_SIGN = b"PK\5\6"

STORED, DEFLATED = 0, 8

MOST = 1_000_000
"""More members than any archive of arrays has."""

_DIRECTORY = 1 << 27
"""Bytes of the largest directory that is read."""

_BLOCK = 1 << 16
_END = Struct("<4s4H2IH")
_LOCATOR = Struct("<4sIQI")
_END_64 = Struct("<4sQ2H2I4Q")
_ENTRY = Struct("<4s6H3I5H2I")
_LOCAL = Struct("<4s5H3I2H")
_FULL, _FULL_SHORT = 0xFFFFFFFF, 0xFFFF


class Member(NamedTuple):
    """A member: how it is packed, its CRC, bytes packed and not, and where its local header begins."""

    name: str
    method: int
    flags: int
    crc: int
    packed: int
    size: int
    at: int


def members(pieces: Pieces) -> tuple[Member, ...]:
    """All members in the order of the directory. Raises `BadError`."""
    count, size, at = _end(pieces)
    if at + size > pieces.size or size > _DIRECTORY or count > MOST:
        raise BadError("corrupt", f"has a directory that claims {size:,} bytes at {at:,}, and {count:,} members")
    directory = pieces.take(at, size)
    found = tuple(_entries(directory, count))
    end = 0
    for member in sorted(found, key=attrgetter("at")):
        if member.at < end or member.at + _LOCAL.size + member.packed > at:
            raise BadError("corrupt", f"has a member that lies over another or outside: {member.name[:200]!r}")
        end = member.at + _LOCAL.size + member.packed
    return found


def _end(pieces: Pieces) -> tuple[int, int, int]:
    """Members, bytes of the directory, and where it begins (4.3.16, 4.3.15 and 4.3.14)."""
    begin = max(0, pieces.size - _END.size - _FULL_SHORT)
    tail = pieces.some(begin, pieces.size - begin)
    at = tail.rfind(EMPTY_SIGN)
    while at >= 0:
        if at + _END.size <= len(tail):
            _, _, _, _, count, size, place, comment = _END.unpack_from(tail, at)
            if at + _END.size + comment == len(tail):
                wide = _FULL in {place, size} or count == _FULL_SHORT
                return (_end_64(pieces, begin + at) if wide else None) or (count, size, place)
        at = tail.rfind(EMPTY_SIGN, 0, at)
    what = f"ends after {pieces.size:,} bytes, without the directory that closes a zip archive"
    raise BadError("truncated", what, None, pieces.size)


def _end_64(pieces: Pieces, end: int) -> tuple[int, int, int] | None:
    if end < _LOCATOR.size:
        return None
    sign, _, place, _ = _LOCATOR.unpack(pieces.take(end - _LOCATOR.size, _LOCATOR.size))
    if sign != b"PK\6\7":
        return None
    sign, _, _, _, _, _, _, count, size, at = _END_64.unpack(pieces.take(place, _END_64.size))
    if sign != b"PK\6\6":
        raise BadError("corrupt", "has a zip64 directory that is not where it should be")
    return count, size, at


def _entries(directory: bytes, count: int) -> Iterator[Member]:
    at = 0
    for _ in range(count):
        if at + _ENTRY.size > len(directory) or directory[at : at + 4] != b"PK\1\2":
            raise BadError("corrupt", f"has a directory that is damaged at its byte {at:,}")
        entry = _ENTRY.unpack_from(directory, at)
        flags, method, crc, packed, size = entry[3], entry[4], entry[7], entry[8], entry[9]
        names, extras, comments, place = entry[10], entry[11], entry[12], entry[16]
        at += _ENTRY.size
        name = directory[at : at + names].decode("utf-8" if flags & 0x800 else "cp437", "replace")
        extra = directory[at + names : at + names + extras]
        packed, size, place = _wide(extra, packed, size, place)
        at += names + extras + comments
        yield Member(name, method, flags, crc, packed, size, place)


def _wide(extra: bytes, packed: int, size: int, place: int) -> tuple[int, int, int]:
    """Sizes beyond 4 GiB, each where the field of 32 bits is full (4.5.3)."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = int.from_bytes(extra[at : at + 2], "little"), int.from_bytes(extra[at + 2 : at + 4], "little")
        if kind == 1:
            numbers = iter(extra[at + 4 + step : at + 12 + step] for step in range(0, length - 7, 8))
            wide = [int.from_bytes(next(numbers, b""), "little") if v == _FULL else v for v in (size, packed, place)]
            return wide[1], wide[0], wide[2]
        at += 4 + length
    return packed, size, place


def begins(pieces: Pieces, member: Member) -> int:
    """Where the bytes of a member begin (4.3.7). Raises `BadError`."""
    local = _LOCAL.unpack(pieces.take(member.at, _LOCAL.size))
    if local[0] != SIGN:
        raise BadError("corrupt", f"has no member {member.name[:200]!r} where its directory says")
    return int(member.at + _LOCAL.size + local[9] + local[10])


def unpacked(pieces: Pieces, member: Member, most: int) -> bytes:
    """Up to the first `most` bytes of a member, unpacked. Raises `BadError`."""
    if member.flags & 1 or member.method not in {STORED, DEFLATED}:
        how = "encrypted" if member.flags & 1 else f"packed by method {member.method}"
        raise BadError("unsupported", f"has a member {member.name[:200]!r} that is {how}, which is not read")
    at = begins(pieces, member)
    if member.method == STORED:
        return pieces.some(at, min(most, member.packed))
    return _inflated(pieces, at, member, most)


def _inflated(pieces: Pieces, at: int, member: Member, most: int) -> bytes:
    stream, out, end = zlib.decompressobj(-15), b"", at + member.packed
    while len(out) < most and at < end and not stream.eof:
        block = pieces.some(at, min(_BLOCK, end - at))
        if not block:
            break
        at += len(block)
        try:
            out += stream.decompress(block, most - len(out))
        except zlib.error as error:
            raise BadError("corrupt", f"has a member {member.name[:200]!r} that is broken ({error})") from None
    return out
