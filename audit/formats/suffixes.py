"""What the suffix of a table's file says of its format."""

from __future__ import annotations

import posixpath

PACKED = frozenset({".gz", ".bz2", ".zst", ".xz"})


def suffix(name: str) -> str:
    """The suffix that tells the format: in small letters, that of a compression left out."""
    stem, last = posixpath.splitext(name.lower())
    return posixpath.splitext(stem)[1] if last in PACKED else last


def is_packed(name: str) -> bool:
    """Whether the name ends in a suffix of compression."""
    return posixpath.splitext(name.lower())[1] in PACKED
