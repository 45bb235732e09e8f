"""What kind of audio file some bytes begin, and what its header says."""

from __future__ import annotations

from collections.abc import Callable

from audit.errors import FormatError
from audit.formats.audio import adts, aiff, flac, mp3, mp4, nist, ogg, tags, w64, wav
from audit.formats.audio.others import other
from audit.formats.lfs import POINTER_LIMIT, read_pointer
from audit.formats.pieces import WINDOW, CutError, Pieces, Read, UnsupportedError
from audit.records.audio import Header
from audit.records.signals import Fault

EMPTY = Header(faults=(Fault(kind="empty", what="is empty"),))
POINTER = Header(faults=(Fault(kind="pointer", what="is a Git LFS pointer, not content"),))

_KINDS = {CutError: "truncated", UnsupportedError: "unsupported"}
"""What else than `header` an error makes of a file."""

_SIGNS: dict[bytes, Callable[[Pieces], Header]] = {
    aiff.MAGIC: aiff.parse,
    flac.MAGIC: flac.parse,
    nist.MAGIC[:4]: nist.parse,
    ogg.MAGIC: ogg.parse,
    w64.MAGIC[:4]: w64.parse,
}


def header(head: bytes, size: int, read: Read) -> Header:
    """The header of a file of `size` bytes that begins with `head`, by what it holds, whatever its name says.

    `head` is at least `POINTER_LIMIT` bytes, or the whole file. What is wrong with the file is a fault.
    """
    if head[:4] in wav.MAGIC:
        return wav.parse(head, size, read)
    if not size:
        return EMPTY
    if size < POINTER_LIMIT and read_pointer(head) is not None:
        return POINTER
    try:
        return _recognised(Pieces(head, size, read))
    except FormatError as error:
        return Header(faults=(Fault(kind=_KINDS.get(type(error), "header"), what=error.what),))


def _recognised(pieces: Pieces) -> Header:
    """By how it begins, behind the tags that may stand before any format. Raises `FormatError`."""
    if tagged := tags.before(pieces):
        pieces = pieces.behind(tagged)
    head = pieces.some(0, WINDOW)
    if head[:4] in wav.MAGIC:
        return wav.parse(head, pieces.size, pieces.some)
    if parse := mp4.parse if head[4:8] in mp4.MAGIC else _SIGNS.get(head[:4]):
        return parse(pieces)
    if fault := other(head):
        return Header(faults=(fault,))
    first, second = (adts.parse, mp3.parse) if adts.begins(head) else (mp3.parse, adts.parse)
    return first(pieces) or second(pieces) or Header(faults=(_unrecognised(head),))


def _unrecognised(head: bytes) -> Fault:
    if not head.strip(b"\0"):
        return Fault(kind="empty", what=f"begins with {len(head):,} zero bytes: was it ever written?")
    begins = head[:8].hex(" ")
    return Fault(kind="unknown", what=f"is no audio file of a kind that is read (it begins with {begins})")
