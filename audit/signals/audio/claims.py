"""What a clip's own bytes say of its length, which libsndfile silently adapts to what is there."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from typing import Any

from audit.formats.audio import wav
from audit.records.signals import Fault
from audit.signals.audio import ogg_pages

_ADAPTED = re.compile(r"^\s*(FORM|SSND|Data Size|riff|data)\s*: (\d+) \(should be (\d+)\)", re.MULTILINE)
"""Lines of libsndfile's log about a size that does not fit the file."""

_OPEN = 0xFFFFFFFF
"""The size that programs write to AU which do not know how long the sound will be."""


def cut(file: io.FileIO, sound: Any, head: bytes, size: int) -> Iterator[Fault]:
    """The first thing wrong with the length of an open file of `size` bytes that begins with `head`."""

    def read(offset: int, length: int) -> bytes:
        return os.pread(file.fileno(), length, offset)

    if head[:4] in wav.MAGIC:
        yield from wav.parse(head, size, read).faults
    elif head.startswith(b"OggS"):
        fault = ogg_pages.fault(read, size)
        yield from () if fault is None else (fault,)
    else:
        yield from _adapted(sound.extra_info)


def _adapted(log: str) -> Iterator[Fault]:
    for name, said, there in _ADAPTED.findall(log):
        expected, found = int(said), int(there)
        if found < expected != _OPEN:
            what = f"is cut: its {name} is {expected:,} bytes, of which {found:,} are there"
            yield Fault(kind="truncated", what=what, expected=expected, found=found)
