"""Where a program may keep its own files: the user's cache folder, and whether a folder is on a network.

Sources: XDG Base Directory Specification 0.8; proc_pid_mountinfo(5).
"""

from __future__ import annotations

import os
import re
import sys

_NETWORK = frozenset(
    {
        "9p",
        "acfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fhgfs",
        "fuse",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    }
)
"""Filesystems that other machines may write to at the same time, and every one in user space (`fuse.*`)."""

_OCTAL = re.compile(r"\\([0-7]{3})")
_MOUNT_POINT = 4
_MOUNTS = "/proc/self/mountinfo"


def cache_folder() -> str:
    """The user's own folder for what can be made anew; it need not exist yet."""
    return _own("XDG_CACHE_HOME", "Library/Caches" if sys.platform == "darwin" else ".cache")


def state_folder() -> str:
    """The user's own folder for what is to stay; it need not exist yet."""
    return _own("XDG_STATE_HOME", "Library/Application Support" if sys.platform == "darwin" else ".local/state")


def _own(variable: str, below_home: str) -> str:
    named = os.environ.get(variable, "")
    home = named if os.path.isabs(named) else ""  # the specification: a relative path is to be ignored
    return os.path.join(home or os.path.join(os.path.expanduser("~"), below_home), "reproaudit")


def on_network(folder: str) -> bool:
    """Whether other machines may share the folder, so that locks and shared memory cannot be relied on."""
    kind = filesystem(os.path.realpath(folder), _mounts())
    return kind in _NETWORK or kind.startswith("fuse.")


def filesystem(path: str, mounts: str) -> str:
    """The type of the filesystem that holds a path without links, by the text of mountinfo; empty if unknown."""
    best, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        point = _unescaped(fields[_MOUNT_POINT]) if len(fields) > _MOUNT_POINT else ""
        if point and _holds(point, path) and len(point) >= len(best):  # a later mount hides an earlier one
            best, kind = point, after.split(" ")[0]
    return kind


def _holds(point: str, path: str) -> bool:
    return f"{path}/".startswith(f"{point.rstrip('/')}/")


def _unescaped(field: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), field)


def _mounts() -> str:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""
