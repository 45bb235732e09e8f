"""The demand-driven graph of facts: each request is collected once, whoever asks first does the work.

A request's cell holds its value or its failure. A thread that needs a fact which
another thread collects waits for it; a circle of waits is found before it forms.
A cell that shows no progress for a minute is given up as `CannotLook`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from audit.engine.meter import Meter
from audit.engine.workers import Workers
from audit.errors import AuditError, CannotLook, Cancelled
from audit.records.check import Request
from audit.records.digests import Digests
from audit.records.door import Door

T = TypeVar("T")
Item = TypeVar("Item")
STALL_S = 60.0
_GLANCE_S = 0.05


class Cell:
    """The place of one fact: empty, then for good a value or a failure."""

    def __init__(self, request: Request[Any]) -> None:
        self.request = request
        self.done = threading.Event()
        self.beat: float | None = None  # the last sign of life; none while it waits for a free thread
        self.waits_for: Cell | None = None
        self.given_up = False
        self._value: Any = None
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    def settle(self, value: Any = None, failure: BaseException | None = None) -> bool:
        """Fill the cell; False if it was filled before, and stays as it was."""
        with self._lock:
            if self.done.is_set():
                return False
            self._value, self._failure = value, failure
            self.done.set()
            return True

    def result(self) -> Any:
        """The value; raises the failure."""
        if self._failure is not None:
            raise self._failure
        return self._value


class Graph:
    """Collects facts on `jobs` threads."""

    def __init__(  # noqa: PLR0913 - the graph is where these six meet
        self, host: Door, digests: Digests, meter: Meter, jobs: int, *, deep: bool = False, stall_s: float = STALL_S
    ) -> None:
        self.host, self.digests, self.meter, self.deep = host, digests, meter, deep
        self.stopped = threading.Event()
        self.pool = Workers(jobs, "work")
        self._stall_s = stall_s
        self._collectors = Workers(jobs, "facts")
        self._cells: dict[Request[Any], Cell] = {}
        self._lock = threading.Lock()

    def start(self, request: Request[Any]) -> None:
        """Have a fact collected soon; asking twice is the same as asking once."""
        cell, mine = self._claim(request)
        if mine:
            self._collectors.submit(self._collect, cell, ())

    def get(self, request: Request[T], above: tuple[Cell, ...] = ()) -> T:
        """The fact: collected here if nobody else does, else waited for."""
        cell, mine = self._claim(request)
        if mine:
            self._collect(cell, above)
        else:
            self._wait(cell, above)
        value: T = cell.result()
        return value

    def stop(self) -> None:
        """Interrupt: collectors see `cancelled()`, waiting ones end with `Cancelled`."""
        self.stopped.set()

    def close(self) -> None:
        """Let the threads go."""
        self.pool.shutdown()
        self._collectors.shutdown()

    @property
    def stuck(self) -> bool:
        """Whether a thread was given up and may never come back."""
        return any(cell.given_up for cell in self._cells.values())

    def _claim(self, request: Request[Any]) -> tuple[Cell, bool]:
        with self._lock:
            cell = self._cells.get(request)
            if cell is not None:
                return cell, False
            cell = self._cells[request] = Cell(request)
            return cell, True

    def _collect(self, cell: Cell, above: tuple[Cell, ...]) -> None:
        """The first of the three boundaries: whatever a collector raises becomes the fact's failure."""
        beat(above := (*above, cell))
        try:
            if self.stopped.is_set():
                raise Cancelled("interrupted before it was looked at")
            cell.settle(value=cell.request.collect(_Context(self, above)))
        except AuditError as error:
            cell.settle(failure=error)
        except Exception as error:  # noqa: BLE001 - the boundary of collectors
            cell.settle(failure=error)

    def _wait(self, cell: Cell, above: tuple[Cell, ...]) -> None:
        with self._lock:
            self._no_circle(cell, above)
            for waiting in above[-1:]:
                waiting.waits_for = cell
        while not cell.done.wait(_GLANCE_S):
            if self.stopped.is_set():
                raise Cancelled("interrupted before it was looked at")
            for waiting in above:
                waiting.beat = max(waiting.beat or 0.0, cell.beat or time.monotonic())
            for running in tuple(self._cells.values()):
                self._give_up_if_stalled(running)
        for waiting in above[-1:]:
            waiting.waits_for = None

    def _no_circle(self, cell: Cell, above: tuple[Cell, ...]) -> None:
        ahead: Cell | None = cell
        while ahead is not None:
            if ahead in above:
                raise CannotLook(f"facts need each other in a circle: {type(cell.request).__name__}")
            ahead = ahead.waits_for

    def _give_up_if_stalled(self, cell: Cell) -> None:
        if cell.beat is None or cell.done.is_set() or time.monotonic() - cell.beat < self._stall_s:
            return
        reason = CannotLook(
            f"no progress for {self._stall_s:g} s while collecting {type(cell.request).__name__}",
            hint="is a network filesystem or a device hanging?",
        )
        if cell.settle(failure=reason):
            cell.given_up = True
            self._collectors.spare()
            self.pool.spare()


def beat(cells: Iterable[Cell]) -> None:
    """These cells live."""
    now = time.monotonic()
    for cell in cells:
        cell.beat = now


class _Context:
    """What one collector may touch; its progress is also that of the collectors that wait for it."""

    def __init__(self, graph: Graph, above: tuple[Cell, ...]) -> None:
        self._graph, self._above = graph, above
        self.host, self.digests, self.deep = graph.host, graph.digests, graph.deep
        self.progress = graph.meter.listener(lambda: beat(above))

    def get(self, request: Request[T]) -> T:
        return self._graph.get(request, self._above)

    def map(self, work: Callable[[Item], T], items: Iterable[Item]) -> Sequence[T]:
        return [self._alive(value) for value in self._graph.pool.map(work, items)]

    def _alive(self, value: T) -> T:
        beat(self._above)
        if self.cancelled():
            raise Cancelled("interrupted while it was looked at")
        return value

    def cancelled(self) -> bool:
        return self._graph.stopped.is_set() or self._above[-1].given_up
