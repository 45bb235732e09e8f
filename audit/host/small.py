"""Digests of small files: one file, one read. Runs in a thread, and as a program of its own (`audit.host.helpers`).

As a program it knows nothing but the standard library, so that it starts in a blink:

    python -I -S -B small.py < requests > answers

Each request is an algorithm of hashlib and a list of paths, each answer a list of
the same length, both as `marshal` writes them, behind their length in 8 bytes.
"""

from __future__ import annotations

import errno
import hashlib
import marshal
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

    Answer = tuple[int, int, int, int, int, str] | str | None

SMALL = 1 << 16
"""Bytes below which a file is small: opening it costs as much as digesting it."""

FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

LENGTH_BYTES = 8

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a fifo"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def digest(path: str, make: Callable[[], Any]) -> Answer:
    """Device, inode, size, mtime and ctime in ns, and hex digest; or the problem; or None: read it at length."""
    try:
        descriptor = os.open(path, FLAGS)
    except (OSError, ValueError) as error:
        return refused(error, path)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return irregular(before.st_mode)
        size = before.st_size
        if size >= SMALL:
            return None
        data = os.read(descriptor, size + 1)  # one more than there should be: a full answer is the end of the file
        after = os.fstat(descriptor)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)
    mtime, ctime = before.st_mtime_ns, before.st_ctime_ns
    if len(data) != size or after.st_size != size or after.st_mtime_ns != mtime or after.st_ctime_ns != ctime:
        return None
    hasher = make()
    hasher.update(data)
    return before.st_dev, before.st_ino, size, mtime, ctime, hasher.hexdigest()


def irregular(mode: int) -> str:
    """What it is instead of a file."""
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    return f"is {kind}, not a regular file"


def refused(error: OSError | ValueError, path: str) -> str:
    """Why it could not be opened; a socket or a link says so only when it is looked at."""
    if isinstance(error, ValueError):
        return "has a name that no file can have"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "vanished before it was read"
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return unreadable(error)
    return unreadable(error) if stat.S_ISREG(mode) else irregular(mode)


def unreadable(error: OSError) -> str:
    """Why it could not be read."""
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there are no more requests."""
    while request := take(requests):
        algorithm, paths = request
        made = hashlib.new(algorithm, usedforsecurity=False)
        give(answers, [digest(path, made.copy) for path in paths])


def give(stream: IO[bytes], value: Any) -> None:
    """Write one request or answer."""
    text = marshal.dumps(value)
    stream.write(len(text).to_bytes(LENGTH_BYTES, "big") + text)
    stream.flush()


def take(stream: IO[bytes]) -> Any:
    """Read one request or answer; None at the end."""
    length = int.from_bytes(stream.read(LENGTH_BYTES), "big")
    return marshal.loads(stream.read(length)) if length else None  # noqa: S302 - both ends are this very program


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
