"""The launch gate: the audit's process becomes the command's."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from audit.errors import AuditError, Exit


class CommandError(AuditError):
    """The command behind `--` cannot be started; looked up before anything is audited."""


def found(program: str) -> str:
    """The program's path, as a shell would find it. Raises `CommandError` with exit code 126 or 127."""
    path = shutil.which(program)
    if path:
        return path
    there = Path(program).exists() and "/" in program
    error = CommandError(f"{program}: {'not executable' if there else 'command not found'}", hint="nothing was audited")
    error.exit = Exit.NOT_EXECUTABLE if there else Exit.NOT_FOUND
    raise error


def launch(program: str, line: list[str]) -> NoReturn:
    """Replace this process by the command."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, line)  # noqa: S606 - the user's own command, without a shell
