"""Reading a file from its first byte to its last: safely, in bounded memory, and saying so if it was not one file.

Every file that cannot be read, or that was not the same from beginning to end, is
an answer with a reason, never an exception, and nothing is waited for: a fifo, a
socket or a device is recognised and left alone (open(2): `O_NONBLOCK`, `O_NOFOLLOW`).

Files are read, not mapped: a mapped file that is cut short meanwhile kills the
process that looks at it (mmap(2), SIGBUS), and is no faster. Holes are read too:
filesystems have been wrong about where they are (`SEEK_HOLE`, OpenZFS issue 15526).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import msgspec

from audit.host.small import FLAGS, irregular, refused, unreadable
from audit.records.digests import Stamp

BLOCK = 1 << 20
"""Bytes per read of larger files: few calls, and still in the processor's second cache."""

LARGE = 1 << 26
"""Bytes from which on a second thread pays for itself, where a processor is idle."""


def processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Consumer(Protocol):
    """Takes the bytes of a file in their order, as a hasher does."""

    def update(self, data: bytes | memoryview, /) -> object:
        """The next bytes. They are overwritten once this returns."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What a read came to: the stamp under which all bytes were read, or else the problem.

    The problem completes the sentence "it ...". After a problem, what the consumers
    were fed means nothing.
    """

    stamp: Stamp | None
    problem: str = ""


def _silent(_: int) -> None:
    """Nobody wants to know how far a read is."""


class Reader:
    """Reads files one after the other through the same memory; for one thread."""

    def __init__(self, tick: Callable[[int], None] = _silent, *, ahead: bool = False) -> None:
        """`tick` is told the size of each piece that was read; it may raise to stop.

        `ahead`: processors are idle, so a large file may have a second thread.
        """
        self._tick = tick
        self._ahead = ahead
        self._buffers: list[bytearray] = []

    def read(self, path: str, consumers: Sequence[Consumer]) -> Reading:
        """Feed the file to the consumers, the slowest of them first."""
        try:
            descriptor = os.open(path, FLAGS)
        except (OSError, ValueError) as error:
            return Reading(None, refused(error, path))
        try:
            return self._whole(descriptor, consumers)
        except OSError as error:
            return Reading(None, unreadable(error))
        finally:
            os.close(descriptor)

    def _whole(self, descriptor: int, consumers: Sequence[Consumer]) -> Reading:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return Reading(None, irregular(before.st_mode))
        count = self._pour(descriptor, before.st_size, consumers)
        stamp = _stamp(before)
        if count != stamp.size or _stamp(os.fstat(descriptor)) != stamp:
            return Reading(None, "changed while it was being read")
        return Reading(stamp)

    def _pour(self, descriptor: int, size: int, consumers: Sequence[Consumer]) -> int:
        """Read to the end, or to where it is longer than it said; the number of bytes."""
        pour = self._pour_ahead if self._ahead and size >= LARGE else self._pour_blocks
        return pour(descriptor, size, consumers)

    def _pour_blocks(self, descriptor: int, size: int, consumers: Sequence[Consumer]) -> int:
        (buffer,) = self._memory(1)
        count = 0
        while count <= size and (block := self._fill(descriptor, buffer, consumers)):
            count += len(block)
        return count

    def _pour_ahead(self, descriptor: int, size: int, consumers: Sequence[Consumer]) -> int:
        """As `_pour_blocks`, while a second thread reads ahead and feeds all consumers but the slowest."""
        slowest, others = consumers[:1], consumers[1:]
        now, then = self._memory(2)
        count = 0
        with ThreadPoolExecutor(1) as helper:
            ahead = helper.submit(self._fill, descriptor, now, others)
            while count <= size and (block := ahead.result()):
                now, then = then, now
                ahead = helper.submit(self._fill, descriptor, now, others)
                for consumer in slowest:
                    consumer.update(block)
                count += len(block)
        return count

    def _fill(self, descriptor: int, buffer: bytearray, consumers: Sequence[Consumer]) -> memoryview:
        block = memoryview(buffer)[: os.readv(descriptor, [buffer])]
        for consumer in consumers:
            consumer.update(block)
        self._tick(len(block))
        return block

    def _memory(self, count: int) -> list[bytearray]:
        while len(self._buffers) < count:
            self._buffers.append(bytearray(BLOCK))
        return self._buffers[:count]


def _stamp(seen: os.stat_result) -> Stamp:
    return Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
