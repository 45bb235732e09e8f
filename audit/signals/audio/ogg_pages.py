"""Pages of Ogg, in which decoders pass over what is damaged. Source: RFC 3533, section 6."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from audit.records.signals import Fault

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

_HEAD = 27
_LAST = 4
"""The bit of a page that ends its stream."""
_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def fault(read: Read, size: int) -> Fault | None:
    """What is wrong with the pages of a file of `size` bytes: damaged, not whole, or without an end."""
    at, ended, open_streams = 0, False, set[bytes]()
    while at < size:
        head = read(at, _HEAD + 255)
        if not head.startswith(b"OggS"[: size - at]):
            return None if ended else Fault(kind="corrupt", what=f"has no page of Ogg at byte {at:,}")
        length = _length(head)
        if length is None or at + length > size:
            return _cut(size)
        if _checksum(read(at, length)) != int.from_bytes(head[22:26], "little"):
            return Fault(kind="corrupt", what=f"the CRC of its page at byte {at:,} does not fit")
        stream = head[14:18]
        open_streams.add(stream)
        if head[5] & _LAST:
            open_streams.discard(stream)
        ended = not open_streams
        at += length
    return None if ended else _cut(size)


def _cut(size: int) -> Fault:
    return Fault(kind="truncated", what=f"ends after {size:,} bytes, before its last page does", found=size)


def _length(head: bytes) -> int | None:
    """The bytes of a page, from its table of segments; None where that is cut."""
    if len(head) < _HEAD or len(head) < _HEAD + head[26]:
        return None
    return _HEAD + head[26] + sum(head[_HEAD : _HEAD + head[26]])


def _checksum(page: bytes) -> int:
    """The CRC of Ogg: that of zlib with all bits mirrored, and with no inversion before and after."""
    bare = page[:22] + b"\0\0\0\0" + page[26:]
    crc = zlib.crc32(bare.translate(_MIRROR), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int.from_bytes(crc.to_bytes(4, "little").translate(_MIRROR), "big")
