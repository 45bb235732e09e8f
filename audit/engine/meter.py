"""Counts what is read and trusted, for the envelope's coverage and for whoever watches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from audit.records.report import Coverage


class Standing(NamedTuple):
    """How far the audit is, in files and bytes; expected ones include those already read."""

    expected_files: int = 0
    expected_bytes: int = 0
    files_read: int = 0
    bytes_read: int = 0
    files_trusted: int = 0
    bytes_trusted: int = 0
    files_unread: int = 0
    what: str = ""


class Meter:
    """The one place where all collectors' counts meet; `standing` may be read at any time."""

    def __init__(self) -> None:
        self.standing = Standing()
        self._lock = threading.Lock()

    def listener(self, alive: Callable[[], None]) -> Listener:
        """A collector's own end; `alive` is called at each sign of life."""
        return Listener(self, alive)

    def add(self, what: str = "", **counts: int) -> None:
        """Add to the counts, by their names in `Standing`; `what` is being read."""
        with self._lock:
            now = self.standing
            added = {name: getattr(now, name) + count for name, count in counts.items()}
            self.standing = now._replace(**added, what=what or now.what)

    def coverage(self) -> Coverage:
        """What was looked at, as the envelope says it."""
        now = self.standing
        return Coverage(
            files_read=now.files_read,
            bytes_read=now.bytes_read,
            files_trusted=now.files_trusted,
            bytes_trusted=now.bytes_trusted,
            files_unread=now.files_unread,
        )


class Listener:
    """The `Progress` of one collector (`audit.records.context.Progress`)."""

    def __init__(self, meter: Meter, alive: Callable[[], None]) -> None:
        self._meter, self._alive = meter, alive

    def expect(self, files: int = 0, size: int = 0) -> None:
        """So many more files and bytes are going to be read."""
        self._alive()
        self._meter.add(expected_files=files, expected_bytes=size)

    def advance(self, files: int = 0, size: int = 0, what: str = "") -> None:
        """So many files and bytes have been read."""
        self._alive()
        self._meter.add(what, files_read=files, bytes_read=size)

    def trusted(self, files: int = 0, size: int = 0) -> None:
        """So many files and bytes were not read, since their remembered digests still hold."""
        self._alive()
        self._meter.add(files_trusted=files, bytes_trusted=size)

    def unread(self, files: int = 0) -> None:
        """So many files were not looked at."""
        self._alive()
        self._meter.add(files_unread=files)
