"""The demand-driven graph of facts: each request is collected once, whoever asks first does the work.

A request's cell holds its value or its failure. A collector that needs a fact which
nobody has begun collects it itself, so that none waits in a queue behind itself; one
that another thread collects is waited for, and a circle of waits is found before it
forms. The main thread only waits: it can be interrupted, and sees who stalls. A cell
that shows no progress for a minute is given up as `CannotLook`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from audit.engine.meter import Meter
from audit.engine.workers import Workers
from audit.errors import Cancelled, CannotLook
from audit.records.check import Request
from audit.records.digests import Digests
from audit.records.door import Door

T = TypeVar("T")
Item = TypeVar("Item")
STALL_S = 60.0
_GLANCE_S = 0.05
_GRACE_S = 1.0


class Cell:
    """The place of one fact: empty, then for good a value or a failure."""

    def __init__(self, request: Request[Any]) -> None:
        self.request = request
        self.done = threading.Event()
        self.begun = False
        self.beat: float | None = None  # the last sign of life; none while it waits for a free thread
        self.waits_for: Cell | None = None
        self.given_up = False
        self._value: Any = None
        self._failure: Exception | None = None
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Whether it is the caller who collects it."""
        with self._lock:
            mine, self.begun = not self.begun, True
            return mine

    def settle(self, value: Any = None, failure: Exception | None = None) -> bool:
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
        with self._lock:
            if request in self._cells:
                return
            cell = self._cells[request] = Cell(request)
        try:
            self._collectors.submit(self._collect, cell, ())
        except RuntimeError as error:  # the system grants not even one thread
            cell.settle(failure=error)

    def get(self, request: Request[T], above: tuple[Cell, ...] = ()) -> T:
        """The fact; `above` are the collectors that ask for it, each for the next."""
        if not above:
            self.start(request)
        cell = self._awaited(request, above)
        if above:
            self._collect(cell, above)  # unless another thread does already
        self._wait(cell, above)
        for waiting in above[-1:]:
            waiting.waits_for = None
        value: T = cell.result()
        return value

    def stop(self) -> None:
        """Interrupt: collectors see `cancelled()`, waiting ones end with `Cancelled`."""
        self.stopped.set()

    def go_on(self) -> None:
        """Raise `Cancelled` once the audit is interrupted."""
        if self.stopped.is_set():
            raise Cancelled("interrupted before it was looked at")

    def close(self) -> None:
        """Stop, and let the threads go; those at work have a second to notice, and to end their programs."""
        self.stop()
        self.pool.shutdown()
        self._collectors.shutdown()
        deadline = time.monotonic() + _GRACE_S
        while self.stuck and time.monotonic() < deadline:
            time.sleep(0.001)

    @property
    def stuck(self) -> bool:
        """Whether a thread is still at work and may never come back: the program must then end without it."""
        return self.pool.busy or self._collectors.busy

    def _awaited(self, request: Request[Any], above: tuple[Cell, ...]) -> Cell:
        """The request's cell, and a note of who waits for it. Raises `CannotLook` if that closes a circle."""
        with self._lock:
            cell = self._cells.setdefault(request, Cell(request))
            ahead: Cell | None = cell
            while ahead is not None:
                if ahead in above:
                    raise CannotLook(f"facts need each other in a circle: {type(cell.request).__name__}")
                ahead = ahead.waits_for
            for waiting in above[-1:]:
                waiting.waits_for = cell
            return cell

    def _collect(self, cell: Cell, above: tuple[Cell, ...]) -> None:
        """The first of the three boundaries: whatever a collector raises becomes the fact's failure."""
        if not cell.begin():
            return
        beat(above := (*above, cell))
        try:
            self.go_on()
            value = cell.request.collect(_Context(self, above))
            self.go_on()  # what was collected under an interrupt may lack what it gave up
            cell.settle(value=value)
        except Exception as error:  # noqa: BLE001 - the boundary of collectors
            cell.settle(failure=error)
        except BaseException as error:  # noqa: BLE001 - a library that exits, or panics as those in Rust do
            cell.settle(failure=RuntimeError(f"{type(error).__name__}: {error}"))

    def _wait(self, cell: Cell, above: tuple[Cell, ...]) -> None:
        """Whoever waits lives: it is the one waited for that is given up, sooner or later."""
        while not cell.done.is_set():
            self.go_on()
            beat(above)
            for running in tuple(self._cells.values()):
                self._give_up_if_stalled(running)
            cell.done.wait(_GLANCE_S)

    def _give_up_if_stalled(self, cell: Cell) -> None:
        if cell.beat is None or cell.done.is_set() or time.monotonic() - cell.beat < self._stall_s:
            return
        innermost = cell
        while innermost.waits_for is not None:  # collected by the same thread
            innermost = innermost.waits_for
        reason = CannotLook(
            f"no progress for {self._stall_s:g} s while collecting {type(innermost.request).__name__}",
            hint="is a network filesystem or a device hanging?",
        )
        if cell.settle(failure=reason):
            cell.given_up = True
            self._collectors.spare()


def beat(cells: Iterable[Cell]) -> None:
    """These cells live."""
    now = time.monotonic()
    for cell in cells:
        cell.beat = now


class _Context:
    """What one collector may touch; its progress is also that of the collectors that wait for it."""

    def __init__(self, graph: Graph, above: tuple[Cell, ...]) -> None:
        self._graph, self._above = graph, above
        self.digests, self.deep = graph.digests, graph.deep
        self.host = graph.host.watched(self._go_on)
        self.progress = graph.meter.listener(lambda: beat(above))

    def get(self, request: Request[T]) -> T:
        return self._graph.get(request, self._above)

    def map(self, work: Callable[[Item], T], items: Iterable[Item]) -> Sequence[T]:
        futures = [self._graph.pool.submit(work, item) for item in items]
        try:
            return [self._result(future) for future in futures]
        finally:
            self._let_go(futures)

    def cancelled(self) -> bool:
        return self._graph.stopped.is_set() or self._above[-1].given_up

    def _result(self, future: Future[T]) -> T:
        """One that waits for a free worker lives, however long the others keep all of them busy."""
        while not _done(future):
            if not future.running():
                beat(self._above)
            self._raise_if_cancelled()
        self._go_on()
        return future.result()

    def _let_go(self, futures: Sequence[Future[Any]]) -> None:
        """What was not begun never begins; for what a collector that was given up leaves hanging, others work on."""
        for future in futures:
            if not future.cancel() and not future.done() and self._above[-1].given_up:
                self._graph.pool.spare()

    def _go_on(self) -> None:
        beat(self._above)
        self._raise_if_cancelled()

    def _raise_if_cancelled(self) -> None:
        if self.cancelled():
            raise Cancelled("interrupted while it was looked at")


def _done(future: Future[Any]) -> bool:
    """Whether it is, within a glance."""
    with suppress(TimeoutError):
        future.exception(_GLANCE_S)
        return True
    return False
