"""`audit` in a fork of this process: everything is imported already, so that hundreds of runs take seconds."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import signal
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from audit.cli import main as program

CALLS = {
    "reading": ("open", "read", "readv", "scandir"),
    "writing": ("fsync", "link", "mkdir", "rename", "replace", "symlink", "unlink", "write"),
}
"""Functions of `os` at which a fork can be made to die."""

_PATIENCE_S = 60.0


class Ended(NamedTuple):
    """How a fork ended: its exit code (negative: the signal that killed it), and what it said."""

    code: int
    out: str
    err: str


class Running:
    """A fork that runs `audit`; what it says stays in pipes until it has ended."""

    def __init__(self, words: list[str], prepare: Callable[[], None] = lambda: None) -> None:
        pipes = [os.pipe() for _ in range(2)]
        for _, end in pipes:
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the fork is the program
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its threads are not needed in the fork
            self.pid = os.fork()
        if self.pid == 0:
            _become(words, [end for _, end in pipes], prepare)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        for _, end in pipes:
            os.close(end)
        self._pipes = [begin for begin, _ in pipes]

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> Ended:
        """Its end. One that hangs is killed, and fails the test."""
        deadline = time.monotonic() + _PATIENCE_S
        while not (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            if time.monotonic() > deadline:
                self.kill()
                os.waitpid(self.pid, 0)
                raise AssertionError(f"audit hangs; it said {self._said()}")
            time.sleep(0.001)
        return Ended(os.waitstatus_to_exitcode(ended[1]), *self._said())

    def _said(self) -> list[str]:
        said = []
        for begin in self._pipes:
            with os.fdopen(begin, encoding="utf-8", errors="replace") as stream:
                said.append(stream.read())
        return said


def run(words: list[str], prepare: Callable[[], None] = lambda: None) -> Ended:
    """`audit` with these words to its end; `prepare` is called in the fork before it begins."""
    return Running(words, prepare).wait()


def _become(words: list[str], ends: list[int], prepare: Callable[[], None]) -> None:
    """What the fork does; it never returns."""
    code = 99
    try:
        for descriptor, end in zip((1, 2), ends, strict=True):
            os.dup2(end, descriptor)
        _speak_there()
        prepare()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        code = program._guarded(words)
    except KeyboardInterrupt:  # before the program could take it
        code = program._complain("interrupted", 130)
    finally:
        with contextlib.suppress(OSError):
            _flush()
        os._exit(code)


def _speak_there() -> None:
    """Let `sys.stdout` and `sys.stderr` be the real ones, whatever captures them here."""
    import sys

    sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)


def _flush() -> None:
    import sys

    sys.stdout.flush()
    sys.stderr.flush()


class Moment(NamedTuple):
    """The `number`-th call of a kind, from 0; `after` it has been done, else before."""

    kind: str
    number: int
    after: bool


def dying_at(moment: Moment) -> Callable[[], None]:
    """What prepares a fork to die at that moment."""

    def die(kind: str, number: int, *, after: bool) -> None:
        if (kind, number, after) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return lambda: _watch(die)


def counting(note: Path) -> Callable[[], None]:
    """What prepares a fork to note each call: its kind, a line each."""
    descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    write = os.write

    def count(kind: str, _: int, *, after: bool) -> None:
        if not after:
            write(descriptor, f"{kind}\n".encode())

    return lambda: _watch(count)


def _watch(see: Callable[..., None]) -> None:
    """Have `see` called before and after each call at which a fork can die; for forks alone, it is never undone."""
    counts = {kind: itertools.count() for kind in (*CALLS, "committing")}

    @contextlib.contextmanager
    def around(kind: str) -> Iterator[None]:
        number = next(counts[kind])
        see(kind, number, after=False)
        try:
            yield
        finally:
            see(kind, number, after=True)

    for kind, names in CALLS.items():
        for name in names:
            setattr(os, name, _wrapped(getattr(os, name), kind, around))
    sqlite3.connect = _connecting(around)


def _wrapped(real: Any, kind: str, around: Any) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        with around(kind):
            return real(*args, **options)

    return call


def _connecting(around: Any) -> Any:
    """`sqlite3.connect` with connections that are watched at every statement that writes, and when closed."""
    connect = sqlite3.connect

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *args: Any) -> sqlite3.Cursor:
            if statement.startswith("SELECT"):
                return super().execute(statement, *args)
            with around("committing"):
                return super().execute(statement, *args)

        def __exit__(self, *error: object) -> Any:
            with around("committing"):
                return super().__exit__(*error)

        def close(self) -> None:
            with around("committing"):
                super().close()

    return lambda *args, **options: connect(*args, factory=Watched, **options)
