"""What a difference between two sizes tells."""

from __future__ import annotations

_4_GIB = 1 << 32


def truncation(expected: int, found: int) -> str:
    """Name the sign of a size that was kept in 32 bits somewhere; empty if there is none. Sizes are in bytes.

    Git for Windows wrote only `size mod 4 GiB` of large files for many years.
    """
    times, rest = divmod(expected - found, _4_GIB)
    return f"the difference is exactly 4 GiB x {times}" if times > 0 and not rest else ""
