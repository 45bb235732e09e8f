"""What a clip's own bytes say, which libsndfile silently adapts to what is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from audit.records.audio import Header
from audit.records.signals import Fault
from audit.signals.audio import ogg_pages

Read = Callable[[int, int], bytes]
"""Up to so many bytes from an offset on: `read(offset, size)`."""

DOUBTS = frozenset({"unfinished", "chained", "damaged", "length"})
"""Faults that a header has and that decoding may clear up or not."""

_UNREAD = frozenset({"unknown", "unsupported", "foreign", "header"})
"""What our own reader of headers says of a kind of file that libsndfile may still open."""

_DECODED = frozenset({"WAV", "RF64", "W64", "AIFF", "FLAC", "OGG", "MP3"})

_ADAPTED = re.compile(r"^ *(Data Size) *: (\d+) \(should be (\d+)\)", re.MULTILINE)
"""What libsndfile's log says of AU, which our own reader does not know, where a size does not fit the file."""

_OPEN = 0xFFFFFFFF
"""The size that programs write to AU which do not know how long the sound will be."""


def opened(said: Header, log: str, read: Read, size: int) -> Iterator[Fault]:
    """What is wrong with a file of `size` bytes that libsndfile opened, with this log, by what it says of itself."""
    yield from (fault for fault in said.faults if fault.kind not in _UNREAD)
    if said.format and said.format.container == "OGG" and (fault := ogg_pages.damage(read, size)):
        yield fault
    for name, claimed, there in _ADAPTED.findall(log):
        expected, found = int(claimed), int(there)
        if found < expected != _OPEN:
            what = f"is cut: its {name} is {expected:,} bytes, of which {found:,} are there"
            yield Fault(kind="truncated", what=what, expected=expected, found=found)


def unopened(said: Header, why: str) -> tuple[Fault, ...]:
    """What is wrong with a file that libsndfile refuses for a reason."""
    form = said.format
    if form and (form.container not in _DECODED or form.subtype == "SPEEX" or form.subtype.startswith("0x")):
        what = f"is {form.subtype} in {form.container}, which is not decoded here"
        return (Fault(kind="unsupported", what=f"{what}: convert it to FLAC or WAV, with ffmpeg for example"),)
    if sure := tuple(fault for fault in said.faults if fault.kind not in DOUBTS):
        return sure
    reason = why.strip(" .") or "nothing that can be decoded follows its header"
    return (*said.faults, Fault(kind="corrupt", what=f"cannot be decoded: {reason}"))
