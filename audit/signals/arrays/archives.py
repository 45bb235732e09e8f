"""Zip archives of arrays: every member unpacked, and its CRC held against its bytes.

Source: APPNOTE.TXT of PKWARE, 6.3.10, sections 4.3.7 and 4.4.7.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator

from audit.formats.arrays.common import BadError
from audit.formats.arrays.pieces import Pieces
from audit.formats.arrays.zip import DEFLATED, STORED, Member, begins, members
from audit.records.array_content import Contents
from audit.records.signals import Fault

_BLOCK = 1 << 20
_SHOWN = 20


def content(file: io.FileIO) -> Contents:
    """All members of an open file. No more of one is unpacked than it should have."""
    descriptor = file.fileno()
    size = os.fstat(descriptor).st_size
    pieces = Pieces(b"", size, lambda at, many: os.pread(descriptor, many, at))
    faults: list[Fault] = []
    parts = total = 0
    try:
        for member in members(pieces):
            try:
                total += _whole(descriptor, pieces, member)
                parts += 1
            except BadError as error:
                faults.append(error.fault)
    except BadError as error:
        faults.append(error.fault)
    return Contents(faults=tuple(faults[:_SHOWN]), parts=parts, size=total)


def _whole(descriptor: int, pieces: Pieces, member: Member) -> int:
    """How many bytes a member has. Raises `BadError`."""
    name = f"{member.name[:200]!r}"
    if member.flags & 1 or member.method not in {STORED, DEFLATED}:
        raise BadError("unsupported", f"has a member {name} that is packed or encrypted in a way that is not read")
    crc = size = 0
    try:
        for block in _unpacked(descriptor, begins(pieces, member), member):
            size += len(block)
            crc = zlib.crc32(block, crc)
            if size > member.size:
                break
    except zlib.error as error:
        raise BadError("corrupt", f"has a member {name} that is broken ({error})") from None
    if size != member.size:
        more = "more than" if size > member.size else f"{size:,} bytes, not"
        raise BadError("corrupt", f"has a member {name} that holds {more} {member.size:,} bytes", member.size)
    if crc != member.crc:
        raise BadError("corrupt", f"has a member {name} whose CRC is {crc:08x}, not {member.crc:08x}")
    return size


def _unpacked(descriptor: int, at: int, member: Member) -> Iterator[bytes]:
    stream = zlib.decompressobj(-15) if member.method == DEFLATED else None
    end = at + member.packed
    while at < end and (block := os.pread(descriptor, min(_BLOCK, end - at), at)):
        at += len(block)
        if stream is None:
            yield block
            continue
        while block and not stream.eof:
            yield stream.decompress(block, _BLOCK)
            block = stream.unconsumed_tail
    if stream is not None:
        yield stream.flush()
