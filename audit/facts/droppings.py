"""Files that file managers leave in every folder that somebody opens: no data, whoever lists them."""

from __future__ import annotations

_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".directory", ".localized"})


def is_dropping(name: str) -> bool:
    """Whether a file of that name is metadata of the Finder, of Explorer or of Dolphin, or macOS's `._name`."""
    return name in _NAMES or name.startswith("._")
