"""Names that are the same to a reader and differ in bytes: Unicode normal forms (UAX #15).

Linux keeps the bytes of a name, macOS once stored NFD, and most keyboards type NFC, so
a file copied between them can change its name without anybody having renamed it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable


def same_after_nfc(here: Iterable[str], listed: Iterable[str]) -> dict[str, str]:
    """Of the names that are here, those that are equal to a listed one after NFC, and which one that is."""
    composed = {_nfc(name): name for name in listed}
    return {name: composed[_nfc(name)] for name in here if not name.isascii() and _nfc(name) in composed}


def twins(names: Iterable[str]) -> list[tuple[str, int]]:
    """Names in NFC that several of the names have, and how many; sorted."""
    counts: defaultdict[str, int] = defaultdict(int)
    for name in names:
        if not name.isascii():
            counts[_nfc(name)] += 1
    return sorted((name, count) for name, count in counts.items() if count > 1)


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)
