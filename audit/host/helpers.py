"""Processes that digest small files: many of them at once, which Python's threads cannot.

A thread that opens, reads and digests a file of some kilobytes holds Python's lock
most of that time, so a second one gains little and a tenth nothing. Each helper is
`audit.host.small` as a program; batches go to whichever is idle.
"""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from audit.host import small

if TYPE_CHECKING:
    from audit.host.small import Answer

_PROGRAM = Path(small.__file__)
_FAREWELL_S = 0.5


class Helpers:
    """So many processes; they end with the block. They stay behind if sent to another process."""

    def __init__(self, count: int) -> None:
        self._all = [_start() for _ in range(count)]
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        for helper in self._all:
            self._idle.put(helper)

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for helper in self._all:
            helper.kill()
        for helper in self._all:
            with suppress(subprocess.TimeoutExpired):  # one that hangs in the kernel cannot even be killed
                helper.wait(_FAREWELL_S)

    def digest(self, algorithm: str, paths: Sequence[str]) -> Sequence[Answer]:
        """What `small.digest` says of each file; from a helper that has died, that all are to be read at length."""
        helper = self._idle.get()
        try:
            return _asked(helper, algorithm, paths) or [None] * len(paths)
        finally:
            self._idle.put(helper)


def available() -> bool:
    """Whether there is a Python to run the program with, and a file that holds it."""
    return bool(sys.executable) and _PROGRAM.is_file()


def _start() -> subprocess.Popen[bytes]:
    """Isolated from the environment and the current folder, and out of reach of Ctrl-C, which is for who asks."""
    line = [sys.executable, "-I", "-S", "-B", str(_PROGRAM)]
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603 - no shell, and nothing of the project in the line
        line, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd="/", start_new_session=True
    )


def _asked(helper: subprocess.Popen[bytes], algorithm: str, paths: Sequence[str]) -> Sequence[Answer] | None:
    if helper.stdin is None or helper.stdout is None:
        return None
    try:
        small.give(helper.stdin, (algorithm, list(paths)))
        answers: Sequence[Answer] | None = small.take(helper.stdout)
    except (OSError, EOFError, ValueError):
        return None
    return answers
