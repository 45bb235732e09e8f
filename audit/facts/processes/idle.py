"""A program that watches over itself: one that neither computes nor reads is hanging, and ends with an answer.

Sources: clock_gettime(2), CLOCK_PROCESS_CPUTIME_ID; proc_pid_io(5), `rchar` and `wchar`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

_GLANCES = 20
_BUSY_S = 0.02
"""Processor seconds that count as work; to wait for a socket, and to look for signs of life, costs less."""
_COUNTS = "/proc/self/io"


def watch(idle_s: float, output: int, last_words: bytes) -> Callable[[], None]:
    """Write `last_words` to the descriptor `output` and end the process once nothing happened for `idle_s` seconds.

    A program whose audit is gone ends as well: nobody waits for its answer.
    Returns what ends the watch: what is written behind that call is never mixed with the last words.
    """
    done, lock, signs, audit = threading.Event(), threading.Lock(), _Signs(), os.getppid()

    def look() -> None:
        since = time.monotonic()
        while not done.wait(idle_s / _GLANCES):
            if os.getppid() != audit:
                os._exit(1)
            if signs.are_new():
                since = time.monotonic()
            elif time.monotonic() - since >= idle_s:
                with lock:
                    if not done.is_set():
                        os.write(output, last_words)
                        os._exit(1)

    def stop() -> None:
        with lock:
            done.set()

    threading.Thread(target=look, name="idle", daemon=True).start()
    return stop


class _Signs:
    """Processor time, and the bytes read and written by all but this look itself, where the system counts them."""

    def __init__(self) -> None:
        self._ours = 0
        self._busy, self._moved = time.process_time(), self._bytes()

    def are_new(self) -> bool:
        """Whether the process has done anything since this last said so."""
        busy, moved = time.process_time(), self._bytes()
        if busy - self._busy < _BUSY_S and moved == self._moved:
            return False
        self._busy, self._moved = busy, moved
        return True

    def _bytes(self) -> int:
        try:
            with open(_COUNTS, "rb", buffering=0) as file:  # noqa: PTH123 - one read, to be counted
                said = file.read()
        except OSError:
            return 0
        read, written = (int(line.split()[1]) for line in said.splitlines()[:2])
        before, self._ours = self._ours, self._ours + len(said)
        return read + written - before
