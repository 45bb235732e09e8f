"""The folder for what an audit needs only while it runs: private, made when first asked for, gone with the audit.

It lies where `TMPDIR` says. Its name has the audit's process number; a lock (flock(2)) on
a file in it says that the audit lives. What a killed audit left is removed by the next one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
import time
import weakref
from contextlib import suppress

from audit.errors import CannotLook

PREFIX = "reproaudit-"
_LOCK = ".lock"
_USUAL = {"/tmp", "/var/tmp", "/usr/tmp"}  # noqa: S108 - where Python looks for one
_SETTLED_S = 60  # older than this, a folder that nobody locks is not one that is just being made


class Scratch:
    """One audit's folder. It is removed by `close`, and at the latest when the program ends or forgets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: str | None = None
        self._remove: weakref.finalize[[str, int], Scratch] | None = None

    def folder(self) -> str:
        """Its absolute path. Raises `CannotLook` where none can be made."""
        with self._lock:
            if self._folder is None:
                self._folder, held = _make(_parent())
                self._remove = weakref.finalize(self, _gone, self._folder, held)
            return self._folder

    def close(self) -> None:
        """Remove it with all in it; asked again, a new one is made."""
        with self._lock:
            if self._remove is not None:
                self._remove()
            self._folder = self._remove = None


def _parent() -> str:
    """The folder for temporary files; never the working directory, Python's last resort: it may be the project."""
    named = {os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")}
    try:
        found = tempfile.gettempdir()
    except OSError:
        found = ""
    if not found or (found == os.getcwd() and found not in named | _USUAL):
        raise CannotLook("no folder for temporary files can be written", hint="let TMPDIR name a folder with room")
    return found


def _make(parent: str) -> tuple[str, int]:
    """A new folder (mode 0700) and the descriptor that holds its lock."""
    _sweep(parent)
    try:
        folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent)
        held = os.open(f"{folder}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotLook(
            f"no scratch folder can be made: {reason}", where=parent, hint="let TMPDIR name a folder with room"
        ) from error
    return os.path.realpath(folder), held


def _gone(folder: str, held: int) -> None:
    """The lock is let go last, so that nobody else sweeps the folder meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    os.close(held)


def _sweep(parent: str) -> None:
    """Remove this user's folders whose audits are dead; those of others, and links, are left alone."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and _is_ours(entry):
                _remove_if_dead(entry.path)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid()
    except OSError:
        return False


def _remove_if_dead(folder: str) -> None:
    """Whoever gets the lock of a folder that is not brand-new knows that its audit is dead."""
    with suppress(OSError):
        if time.time() - os.lstat(folder).st_mtime < _SETTLED_S:
            return
        held = os.open(f"{folder}/{_LOCK}", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(held)
