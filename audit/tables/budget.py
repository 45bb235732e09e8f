"""How much memory one column may take: results do not depend on it, only how often a column is read."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

_SHARE = 4
_LEAST = 16 << 20
_MOST = 512 << 20
_MEMORY = "/proc/meminfo"
_STATUS = "/proc/self/status"
_OWN = "/proc/self/cgroup"
_FILES = {
    "": ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    "memory": ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Limit and use in the folder of a control group, and the cache of files in its `memory.stat` that is given up when
memory is wanted, by the controllers that a line of `_OWN` names: version 2, version 1.
https://docs.kernel.org/admin-guide/cgroup-v2.html, https://docs.kernel.org/admin-guide/cgroup-v1/memory.html"""


def budget() -> int:
    """Bytes for the values of one column: a quarter of what is left to this process, 16 to 512 MiB."""
    return max(_LEAST, min([_MOST, *(left // _SHARE for left in _left())]))


def _left() -> Iterator[int]:
    """What each of the machine, the container and the process's own limits leaves; nothing where one is not known."""
    yield from (free << 10 for free in _field(_MEMORY, "MemAvailable:"))
    for group, (limit, used, cache) in _groups():
        bounds, taken = _number(f"{group}/{limit}"), _number(f"{group}/{used}")
        if bounds is not None and taken is not None:
            yield max(0, bounds - max(0, taken - sum(_field(f"{group}/memory.stat", cache))))
    for kind, name in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield from (max(0, soft - (taken << 10)) for taken in _field(_STATUS, name))


def _groups() -> Iterator[tuple[str, list[str]]]:
    """The folders and files of the groups that the process is in, up to the top: any of them may be limited.

    A container often sees its own group at the top, under a path that names one outside.
    """
    for line in _text(_OWN).splitlines():
        _, controllers, path = line.split(":", 2)
        top, *files = _FILES.get("memory" if "memory" in controllers.split(",") else controllers, ("",))
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(len(parts) + 1 if top else 0):
            yield "/".join([top, *parts[:depth]]), files


def _field(file: str, name: str) -> Iterator[int]:
    """The number of a line `name N`: of kibibytes in files of /proc (proc(5)), of bytes in those of a group."""
    for line in _text(file).splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdigit():
            yield int(words[1])


def _number(file: str) -> int | None:
    said = _text(file).strip()
    return int(said) if said.isdigit() else None


def _text(file: str) -> str:
    try:
        return Path(file).read_text("ascii")
    except (OSError, UnicodeError):
        return ""
