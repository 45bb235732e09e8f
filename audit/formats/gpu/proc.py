"""`/proc/driver/nvidia/version`: the version of the kernel's module that is loaded."""

from __future__ import annotations

import re

_VERSION = re.compile(r"^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", re.MULTILINE)


def parse(data: bytes) -> str:
    """The version; empty where none is said."""
    found = _VERSION.search(data.decode("utf-8", "replace"))
    return found[1] if found else ""
