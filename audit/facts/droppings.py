"""Files that file managers leave in every folder that somebody opens: no data, whoever lists them."""

from __future__ import annotations

_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".directory", ".localized"})


def pattern(name: str) -> str:
    """What names such files in an ignore file; empty for a name that is none of the Finder, Explorer or Dolphin.

    macOS keeps what another filesystem cannot hold of a file `x` in `._x`.
    """
    if name.startswith("._"):
        return "._*"
    return name if name in _NAMES else ""
