"""What Linux says of itself: `os-release`, `/proc/cpuinfo`.

Sources: os-release(5); proc_cpuinfo(5).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

LEVELS = ("avx512f", "amx_tile", "avx2", "avx", "sse4_2", "asimd", "sve")
"""Features of a processor by which libraries of numbers choose their code (`flags` of x86, `Features` of ARM)."""


def os_release(data: bytes) -> Mapping[str, str]:
    """The assignments; a line that is none is left out."""
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        name, equals, value = line.partition("=")
        if equals and name.isidentifier():
            try:
                found[name] = "".join(shlex.split(value, comments=False)[:1])
            except ValueError:
                continue
    return found


def processor(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The model of the first processor, and which of `LEVELS` it has."""
    fields: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    return fields.get("model name", ""), tuple(level for level in LEVELS if level in flags)
