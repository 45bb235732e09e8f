"""TFRecord: records one behind the other, each behind its length, with a masked CRC of both.

Source: "TFRecords format details" of the TensorFlow guide, and tensorflow/core/lib/hash/crc32c.h for the mask;
CRC-32C as in RFC 3720, appendix B.4.
"""

from __future__ import annotations

from functools import cache

HEAD = 12
"""Bytes before a record: its length, and the CRC of that."""

TAIL = 4
"""Bytes behind a record: its CRC."""


def is_one(head: bytes) -> bool:
    """Whether a file that begins so begins with the length of a record and its CRC."""
    return len(head) >= HEAD and masked(_crc32c(head[:8])) == int.from_bytes(head[8:HEAD], "little")


def masked(crc: int) -> int:
    """A CRC as it is stored: so that the CRC of data that holds CRCs is a good one."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _crc32c(data: bytes) -> int:
    """The CRC of a few bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _table()[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    table = []
    for number in range(256):
        crc = number
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)
