"""A fault of our own is written down where it can be sent from, never thrown at the user."""

from __future__ import annotations

import os
import tempfile
import traceback

import click

from audit import __version__
from audit.records.text import plain


def logged(error: Exception) -> str:
    """One line on the fault, with the path of its log."""
    log = write("".join(traceback.format_exception(error)))
    return f"a fault in audit itself: {type(error).__name__}: {error} (log: {log})"


def write(trace: str) -> str:
    """Where the trace is: in a file of its own, or where none can be written on standard error."""
    text = f"audit {__version__}\n\n{trace}"
    try:
        handle, name = tempfile.mkstemp(prefix="audit-fault-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text)
    except OSError:
        click.echo(plain(text), err=True)
        return "the lines above"
    return name
