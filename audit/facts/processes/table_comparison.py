"""Has ydata-profiling compare two tables, in a process whose memory is bounded and that can be killed."""

from __future__ import annotations

import resource
from collections.abc import Iterator

from audit.errors import CannotLook
from audit.facts.processes.ask import answer
from audit.records.comparison import Compare, Compared

_LONGEST = 200


def _answers(asked: Compare) -> Iterator[Compared]:
    """Whatever the library raises is an answer: it decides nothing."""
    limit = asked.memory_mib << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        from audit.tables.comparison import compared

        yield compared(asked)
    except CannotLook as error:
        yield Compared(trouble=error.what)
    except MemoryError:
        yield Compared(trouble=f"{asked.memory_mib:,} MiB of memory are too few for it")
    except Exception as error:  # noqa: BLE001 - the boundary of this process
        said = " ".join(str(error).split())
        yield Compared(trouble=f"{type(error).__name__}: {said[:_LONGEST]}")


if __name__ == "__main__":
    answer(Compare, _answers)
