"""How counts, shares and names are told."""

from __future__ import annotations

from collections.abc import Sequence

_FINEST = 0.01  # per cent
_NAMED = 3
_LONGEST = 60


def share(count: int, of: int) -> str:
    """`25 %`; three digits at most, and never rounded to nothing or to all."""
    if of == 0:
        return "0 %"
    percent = 100 * count / of
    if 0 < percent < _FINEST:
        return f"below {_FINEST} %"
    told = f"{percent:.3g}"
    return f"almost {told} %" if told == "100" and count < of else f"{told} %"


def counted(count: int, noun: str) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def some(names: Sequence[str], total: int | None = None) -> str:
    """The first three, and how many more there are."""
    rest = (len(names) if total is None else total) - min(len(names), _NAMED)
    return ", ".join(cut(name) for name in names[:_NAMED]) + (f" and {rest:,} more" if rest else "")


def cut(text: str) -> str:
    """Of bounded length."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
