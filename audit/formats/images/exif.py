"""The orientation that EXIF tells. Source: Exif 2.32 (CIPA DC-008), 4.5 and 4.6.4; TIFF 6.0, section 2."""

from __future__ import annotations

from struct import Struct

from audit.formats.pieces import Pieces

_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}
_OFFSET = {order: Struct(f"{order}I") for order in "<>"}
_COUNT = {order: Struct(f"{order}H") for order in "<>"}
_ENTRY = {order: Struct(f"{order}HHI4s") for order in "<>"}
_VALUE = {1: "B", 3: "H", 4: "I"}
"""Types of integers by number; EXIF demands the second, and some write another."""

_ORIENTATION = 0x0112
_MOST = 512
"""More entries than any directory has that cameras write."""


def orientation(pieces: Pieces, at: int, length: int) -> int:
    """1 to 8, of the EXIF of `length` bytes at `at`; 1 where it tells none, or none that can be understood."""
    head = pieces.some(at, 8)
    order = _ORDERS.get(head[:4])
    if order is None or len(head) < 8:  # noqa: PLR2004 - byte order, version and offset
        return 1
    (place,) = _OFFSET[order].unpack_from(head, 4)
    count = pieces.some(at + place, 2) if place + 2 <= length else b""
    if len(count) < 2:  # noqa: PLR2004 - a SHORT
        return 1
    most = min(_COUNT[order].unpack(count)[0], (length - place - 2) // 12, _MOST)
    entries = pieces.some(at + place + 2, most * 12)
    for tag, kind, number, value in _ENTRY[order].iter_unpack(entries[: len(entries) // 12 * 12]):
        if tag == _ORIENTATION:
            said = Struct(order + _VALUE[kind]).unpack_from(value)[0] if kind in _VALUE and number else 1
            return said if 1 <= said <= 8 else 1  # noqa: PLR2004 - EXIF's orientations
    return 1
