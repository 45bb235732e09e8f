"""A PEP 3148 executor on daemon threads: one that is stuck in the kernel cannot keep the program from ending."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Task(NamedTuple):
    future: Future[Any]
    work: Callable[[], Any]


class Workers(Executor):
    """At most `count` tasks at once. Work that is given up is replaced by `spare`."""

    def __init__(self, count: int, name: str) -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._name = name
        self._count = count
        self._started = 0
        self._working = 0
        self._lock = threading.Lock()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a task; threads start when there is something to do."""
        future: Future[T] = Future()
        self._tasks.put(_Task(future, lambda: fn(*args, **kwargs)))
        with self._lock:
            if self._started < self._count:
                self._start()
        return future

    def spare(self) -> None:
        """One thread more, in place of one that does not come back."""
        with self._lock:
            self._start()

    @property
    def busy(self) -> bool:
        """Whether a task is being worked on."""
        return self._working > 0

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - the signature of PEP 3148
        """Let idle threads end; nothing is waited for."""
        for _ in range(self._started):
            self._tasks.put(None)

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"{self._name}-{self._started}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system grants no more threads: those there are do all the work
            if not self._started:
                raise
        else:
            self._started += 1

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                self._count_working(1)
                _fulfil(task)
                self._count_working(-1)

    def _count_working(self, change: int) -> None:
        with self._lock:
            self._working += change


def _fulfil(task: _Task) -> None:
    try:
        task.future.set_result(task.work())
    except BaseException as error:  # noqa: BLE001 - PEP 3148: whatever was raised belongs to the one who waits
        task.future.set_exception(error)
