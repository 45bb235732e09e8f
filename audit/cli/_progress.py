"""What is being read, how much of it, how fast and how long it will take: on a terminal, never in pipes and CI."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from audit.records.text import plain

if TYPE_CHECKING:
    from audit.engine.meter import Meter

_PATIENCE_S = 0.5
_TICK_S = 0.2


class Display:
    """Watches a meter from a thread of its own; an audit that is over in a blink shows nothing."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown and _is_watched()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def watch(self, meter: Meter) -> None:
        """Begin to show how far it is."""
        if self._shown:
            self._thread = threading.Thread(target=self._follow, args=(meter,), daemon=True)
            self._thread.start()

    def _follow(self, meter: Meter) -> None:
        if self._over.wait(_PATIENCE_S):
            return
        with _bar() as bar:
            task = bar.add_task("", total=None, files="", what="")
            while not self._over.wait(_TICK_S):
                _refresh(bar, task, meter)


@contextmanager
def waiting(what: str, *, shown: bool) -> Iterator[None]:
    """Say on a terminal what is waited for, and take it back when it is there."""
    if not (shown and _is_watched()):
        yield
        return
    sys.stderr.write(f"\033[2m{what}\033[0m")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r\033[K")


def _is_watched() -> bool:
    return sys.stderr.isatty() and not os.environ.get("CI")


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    return Progress(
        TextColumn("{task.fields[files]}"),
        BarColumn(bar_width=24),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", markup=False, style="dim"),
        console=Console(file=sys.stderr),
        transient=True,
    )


def _refresh(bar: Any, task: Any, meter: Meter) -> None:
    now = meter.standing
    bar.update(
        task,
        total=now.expected_bytes or None,
        completed=now.bytes_read,
        files=f"{now.files_read:,}/{max(now.expected_files, now.files_read):,} files",
        what=plain(now.what)[-40:],
    )
