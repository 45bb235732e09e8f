"""Has ydata-profiling compare two tables, in a process whose memory is bounded and that can be killed."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.records.comparison import Compare, Compared

_LONGEST = 200
_GLANCE_S = 0.05
_SLACK = 8 << 30
"""Address space beyond the memory that is granted: libraries reserve much that they never touch."""


def _answers(asked: Compare) -> Iterator[Compared]:
    """Whatever the library raises is an answer: it decides nothing."""
    from audit.tables.comparison import compared, quiet

    _bound(asked.memory_mib << 20)
    quiet()
    try:
        yield compared(asked)
    except CannotLook as error:
        yield Compared(trouble=error.what)
    except Exception as error:  # noqa: BLE001 - the boundary of this process
        said = " ".join(str(error).split())
        yield Compared(trouble=f"{type(error).__name__}: {said[:_LONGEST]}")


def _bound(limit: int) -> None:
    """End the process once it holds more than `limit` bytes; one allocation alone cannot go far beyond."""
    with suppress(ValueError, OSError):  # a lower limit is set already, or the system knows none
        resource.setrlimit(resource.RLIMIT_AS, (limit + _SLACK, limit + _SLACK))
    threading.Thread(target=_watch, args=(limit,), daemon=True).start()


def _watch(limit: int) -> None:
    while _resident() <= limit:
        time.sleep(_GLANCE_S)
    sys.stderr.write(f"\nit took more than {limit >> 20:,} MiB of memory\n")
    sys.stderr.flush()
    os._exit(1)


def _resident() -> int:
    """Bytes of this process that are in memory (proc(5)); 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


if __name__ == "__main__":
    answer(Compare, _answers)
