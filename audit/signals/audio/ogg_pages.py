"""Checksums of the pages of Ogg: decoders pass over a page that is damaged. Source: RFC 3533, section 6."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from audit.records.signals import Fault

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

_HEAD = 27
_MOST = _HEAD + 255
_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def damage(read: Read, size: int) -> Fault | None:
    """The first page that is damaged, of a file of `size` bytes that begins with one; a last one may be cut."""
    at = 0
    while at < size:
        head = read(at, _MOST)
        if not head.startswith(b"OggS"[: size - at]):
            return Fault(kind="corrupt", what=f"has no page of Ogg at byte {at:,}, where one should be")
        if len(head) < _HEAD or len(head) < _HEAD + head[26]:
            return None
        length = _HEAD + head[26] + sum(head[_HEAD : _HEAD + head[26]])
        if at + length <= size and _checksum(read(at, length)) != int.from_bytes(head[22:26], "little"):
            return Fault(kind="corrupt", what=f"the CRC of its page at byte {at:,} does not fit")
        at += length
    return None


def _checksum(page: bytes) -> int:
    """The CRC of Ogg: that of zlib with all bits mirrored, and with no inversion before and after."""
    bare = page[:22] + b"\0\0\0\0" + page[26:]
    crc = zlib.crc32(bare.translate(_MIRROR), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int.from_bytes(crc.to_bytes(4, "little").translate(_MIRROR), "big")
