"""A fault of our own is written down where it can be sent from, never thrown at the user."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path

from audit import __version__


def logged(error: Exception) -> str:
    """One line on the fault, with the path of its log."""
    log = write("".join(traceback.format_exception(error)))
    return f"a fault in audit itself: {type(error).__name__}: {error} (log: {log})"


def write(trace: str) -> Path:
    """The trace in a file of its own."""
    with tempfile.NamedTemporaryFile("w", prefix="audit-fault-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.write(f"audit {__version__}\n\n{trace}")
    return Path(log.name)
