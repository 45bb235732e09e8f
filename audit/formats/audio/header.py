"""What kind of audio file some bytes begin, and what its header says."""

from __future__ import annotations

from audit.formats.audio import wav
from audit.formats.audio.wav import Read
from audit.formats.lfs import POINTER_LIMIT, read_pointer
from audit.records.audio import Header
from audit.records.signals import Fault

EMPTY = Header(faults=(Fault(kind="empty", what="is empty"),))
POINTER = Header(faults=(Fault(kind="pointer", what="is a Git LFS pointer, not content"),))
UNKNOWN = Header(faults=(Fault(kind="unknown", what="is no audio file of a kind that is read"),))


def header(head: bytes, size: int, read: Read) -> Header:
    """The header of a file of `size` bytes that begins with `head`, by what it holds, whatever its name says."""
    if head[:4] in wav.MAGIC:
        return wav.parse(head, size, read)
    if not size:
        return EMPTY
    if size < POINTER_LIMIT and read_pointer(head) is not None:
        return POINTER
    return UNKNOWN
