"""Files and folders: what is there, by name and stamp, and small reads.

Nothing here follows a symbolic link in the last part of a path; who wants to
follow one resolves it first, and so decides where it may lead.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from audit.errors import CannotLook
from audit.host.small import FLAGS
from audit.records.digests import Stamp
from audit.records.door import Entry, EntryType, Peek

CHUNK = 1 << 20
"""Bytes per read, so that a size that lies never allocates what it claims."""

_TYPES = {stat.S_IFREG: EntryType.FILE, stat.S_IFDIR: EntryType.FOLDER, stat.S_IFLNK: EntryType.LINK}

_HINTS: dict[type[OSError], str] = {
    FileNotFoundError: "check that it exists",
    PermissionError: "give the user that audits the right to read it",
    NotADirectoryError: "a part of its path is a file",
}


def look(path: str) -> Entry | None:
    """What is at the path itself; None if nothing."""
    try:
        return _entry(path.rpartition("/")[2], os.lstat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error


def scan(folder: str) -> list[Entry]:
    """A folder's entries, sorted by name. One that vanishes meanwhile is left out."""
    with explained(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            names = sorted(os.listdir(descriptor))
            return [entry for name in names if (entry := _within(descriptor, name))]
        finally:
            os.close(descriptor)


def read(path: str, limit: int) -> bytes:
    """A regular file of at most `limit` bytes; a link, a fifo or a device is refused, and hangs nobody."""
    with explained(path):
        descriptor = os.open(path, FLAGS)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise CannotLook("not a regular file", where=path, hint="put a regular file in its place")
            return _bounded(descriptor, path, limit)
        finally:
            os.close(descriptor)


def peek(path: str, size: int, offset: int = 0) -> Peek:
    """Up to `size` bytes of a regular file from `offset` on, and how large it is; quick, for there are many."""
    try:
        descriptor = os.open(path, FLAGS)
        try:
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode):
                raise CannotLook("not a regular file", where=path, hint="put a regular file in its place")
            return Peek(os.pread(descriptor, size, offset), seen.st_size)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error


def target(link: str) -> str:
    """The text of a symbolic link."""
    with explained(link):
        return os.readlink(link)


def resolve(path: str) -> str:
    """The path with every link followed, as far as it exists."""
    with explained(path):
        return os.path.realpath(path)


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn what the system refuses into what a person can act on."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error


def _refusal(path: str, error: OSError | ValueError) -> CannotLook:
    if isinstance(error, ValueError):  # NUL in a path, or a text that no file name can have
        return CannotLook(f"is no path: {error}", where=repr(path), hint="mend the record that names it")
    reason = (error.strerror or str(error)).lower()
    hint = next((text for kind, text in _HINTS.items() if isinstance(error, kind)), "")
    return CannotLook(f"cannot be read: {reason}", where=path, hint=hint)


def _within(folder: int, name: str) -> Entry | None:
    """Asking from inside the folder saves walking its path for each of its files."""
    try:
        return _entry(name, os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _entry(name: str, seen: os.stat_result) -> Entry:
    mode = seen.st_mode
    stamp = Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    return Entry(name, _TYPES.get(stat.S_IFMT(mode), EntryType.OTHER), stamp, mode & stat.S_IXUSR != 0)


def _bounded(descriptor: int, path: str, limit: int) -> bytes:
    chunks, left = [], limit + 1
    while left and (chunk := os.read(descriptor, min(left, CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    if not left:
        raise CannotLook(f"is larger than {limit} bytes", where=path, hint="no file of this format is so large")
    return b"".join(chunks)
