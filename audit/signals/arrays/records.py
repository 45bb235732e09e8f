"""TFRecord: every record held against the CRCs of its length and its bytes.

Source: "TFRecords format details" of the TensorFlow guide.
"""

from __future__ import annotations

import io
import os
from typing import Any

from audit.formats.arrays.common import BadError
from audit.formats.arrays.tfrecord import HEAD, TAIL, masked
from audit.records.array import ArrayHeader, Tensor
from audit.records.array_content import Contents

_BLOCK = 1 << 20


def header(file: io.FileIO) -> ArrayHeader:
    """How many records an open file has, by their lengths; what features are in them is not looked at."""
    walked = _walked(file, whole=False)
    records = Tensor(key="", dtype="record", shape=(walked.parts,), order="|")
    return ArrayHeader(format="TFRECORD", tensors=(records,), faults=walked.faults)


def content(file: io.FileIO) -> Contents:
    """All records of an open file, up to the first that is faulty: behind it nobody knows where the next begins."""
    return _walked(file, whole=True)


def _walked(file: io.FileIO, *, whole: bool) -> Contents:
    from google_crc32c import extend

    descriptor = file.fileno()
    end = os.fstat(descriptor).st_size
    at = parts = 0
    try:
        while at < end:
            behind = _end(descriptor, at, end, extend)
            if whole:
                _held(descriptor, at, behind, extend)
            at, parts = behind + TAIL, parts + 1
    except BadError as error:
        return Contents(faults=(error.fault,), parts=parts, size=at)
    return Contents(parts=parts, size=at)


def _end(descriptor: int, at: int, end: int, extend: Any) -> int:
    """Where the bytes of the record at a place end, behind which is their CRC. Raises `BadError`."""
    head = os.pread(descriptor, HEAD, at)
    if len(head) < HEAD:
        raise _cut(end, at, at + HEAD)
    if masked(extend(0, head[:8])) != int.from_bytes(head[8:], "little"):
        raise BadError("corrupt", f"has a record at byte {at:,} whose length does not agree with its CRC")
    behind = at + HEAD + int.from_bytes(head[:8], "little")
    if behind + TAIL > end:
        raise _cut(end, at, behind + TAIL)
    return behind


def _held(descriptor: int, at: int, behind: int, extend: Any) -> None:
    """Hold a record's bytes against their CRC. Raises `BadError`."""
    crc = 0
    for start in range(at + HEAD, behind, _BLOCK):
        crc = extend(crc, os.pread(descriptor, min(_BLOCK, behind - start), start))
    if masked(crc) != int.from_bytes(os.pread(descriptor, TAIL, behind), "little"):
        raise BadError("corrupt", f"has a record at byte {at:,} whose bytes do not agree with their CRC")


def _cut(end: int, at: int, expected: int) -> BadError:
    what = f"ends after {end:,} bytes, in the record at byte {at:,}: expected {expected - end:,} more"
    return BadError("truncated", what, expected, end)
