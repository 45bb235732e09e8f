"""Room in the scratch folder: a table that unpacks to more than there is ends with a message, not with a full disk."""

from __future__ import annotations

import os

from audit.errors import CannotLook

_LEFT = 256 << 20
"""Bytes that stay free for everybody else."""


def check(scratch: str, name: str, more: int = 0) -> None:
    """Raise `CannotLook` if the disk of the scratch folder has no room for `more` bytes of the file `name`."""
    found = os.statvfs(scratch)
    free = found.f_bavail * found.f_frsize
    if free - more < _LEFT:
        raise CannotLook(
            f"the scratch folder {scratch} has {free >> 20:,} MiB left, too few for this table",
            where=name,
            hint="let TMPDIR name a folder with more room",
        )
