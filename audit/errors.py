"""The exception tree and the exit codes.

Every message answers three questions: what happened, where, and what to do next.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """Exit codes of every command; 126 and 127 are the shell's own for a command that cannot start."""

    OK = 0
    FAIL = 1
    USAGE = 2
    INCOMPLETE = 3
    BUG = 70  # EX_SOFTWARE of sysexits.h: a fault of ours, never a verdict
    NOT_EXECUTABLE = 126
    NOT_FOUND = 127
    INTERRUPTED = 130


class AuditError(Exception):
    """An error that a person can act on."""

    exit = Exit.USAGE

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        step = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{step}"


class UsageError(AuditError):
    """Words on the command line, or arguments from Python, that make no sense together."""


class ConfigError(AuditError):
    """`audit.yaml` or a pack is wrong; `where` is file:line:column."""


class FormatError(AuditError):
    """Bytes that are not what their format demands."""


class NotApplicable(AuditError):
    """The rule's subject does not exist by nature: its outcome is `skip`."""


class CannotLook(AuditError):
    """The rule should have looked and could not: its outcome is `error`."""


class MissingExtra(CannotLook):
    """A library that a planned rule needs is not installed."""

    def __init__(self, extra: str, library: str) -> None:
        super().__init__(f"{library} is not installed", hint=f"pip install 'reproaudit[{extra}]'")


class Cancelled(CannotLook):
    """The audit was interrupted before this was looked at."""


class AuditFailed(AuditError):
    """Raised by `audit.gate`; carries the report that says why."""

    exit = Exit.FAIL

    def __init__(self, what: str, report: Any) -> None:
        super().__init__(what)
        self.report = report
