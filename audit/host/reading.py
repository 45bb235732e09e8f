"""Reading a file from its first byte to its last: safely, in bounded memory, and saying so if it was not one file.

Every file that cannot be read, or that was not the same from beginning to end, is
an answer with a reason, never an exception, and nothing is waited for: a fifo, a
socket or a device is recognised and left alone (open(2): `O_NONBLOCK`, `O_NOFOLLOW`).

Files are read, not mapped: a mapped file that is cut short meanwhile kills the
process that looks at it (mmap(2), SIGBUS), and is no faster. Holes are read too:
filesystems have been wrong about where they are (`SEEK_HOLE`, OpenZFS issue 15526).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import msgspec

from audit.records.digests import Stamp

SMALL = 1 << 17
"""Bytes up to which a file is read with one call into memory of its own."""

BLOCK = 1 << 20
"""Bytes per read of larger files: few calls, and still in the processor's second cache."""

LARGE = 1 << 26
"""Bytes from which on a second thread pays for itself, where a processor is idle."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a fifo"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


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
            descriptor = os.open(path, _FLAGS)
        except (OSError, ValueError) as error:
            return Reading(None, _refused(error, path))
        try:
            return self._whole(descriptor, consumers)
        except OSError as error:
            return Reading(None, _unreadable(error))
        finally:
            os.close(descriptor)

    def _whole(self, descriptor: int, consumers: Sequence[Consumer]) -> Reading:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return Reading(None, f"is {_kind(before.st_mode)}, not a regular file")
        count = self._pour(descriptor, before.st_size, consumers)
        stamp = _stamp(before)
        if count != stamp.size or _stamp(os.fstat(descriptor)) != stamp:
            return Reading(None, "changed while it was being read")
        return Reading(stamp)

    def _pour(self, descriptor: int, size: int, consumers: Sequence[Consumer]) -> int:
        """Read to the end, or to where it is longer than it said; the number of bytes."""
        if size > SMALL:
            pour = self._pour_ahead if self._ahead and size >= LARGE else self._pour_blocks
            return pour(descriptor, size, consumers)
        data = os.read(descriptor, size + 1)  # one more than there should be: a full answer is the end of the file
        for consumer in consumers:
            consumer.update(data)
        self._tick(len(data))
        return len(data) if len(data) == size else self._pour_blocks(descriptor, size, consumers, len(data))

    def _pour_blocks(self, descriptor: int, size: int, consumers: Sequence[Consumer], count: int = 0) -> int:
        (buffer,) = self._memory(1)
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


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")


def _refused(error: OSError | ValueError, path: str) -> str:
    """Why it could not be opened; a socket or a link says so only when it is looked at."""
    if isinstance(error, ValueError):
        return "has a name that no file can have"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "vanished before it was read"
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return _unreadable(error)
    return _unreadable(error) if stat.S_ISREG(mode) else f"is {_kind(mode)}, not a regular file"


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or str(error)).lower()}"
