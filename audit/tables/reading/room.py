"""Room in the scratch folder: a table that unpacks to more than there is ends with a message, not with a full disk."""

from __future__ import annotations

import os
import tempfile

from audit.errors import CannotLook

MOST_COLUMNS = 100_000
_LEFT = 256 << 20
"""Bytes that stay free for everybody else."""


def check_width(columns: int, name: str) -> None:
    """Raise `CannotLook` if there are more columns than anybody's table has."""
    if columns > MOST_COLUMNS:
        raise CannotLook(
            f"has {columns:,} columns, of which at most {MOST_COLUMNS:,} are read",
            where=name,
            hint="is it of another format, or laid on its side?",
        )


def check(scratch: str, name: str, more: int = 0) -> None:
    """Raise `CannotLook` if the disk of the scratch folder has no room for `more` bytes of the file `name`."""
    found = os.statvfs(scratch)
    free = found.f_bavail * found.f_frsize
    if free - more < _LEFT:
        raise CannotLook(
            f"the scratch folder, in {tempfile.gettempdir()}, has {free >> 20:,} MiB left, too few for this table",
            where=name,
            hint="let TMPDIR name a folder with more room",
        )
