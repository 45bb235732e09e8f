"""Values of a column of words, so that one that is very long stands for itself in few characters."""

from __future__ import annotations

_LONGEST = 100
_SHOWN = 32


def shown(value: str) -> str:
    """The value; of more than 100 characters the first 32, an ellipsis, and the BLAKE3 of its UTF-8."""
    if len(value) <= _LONGEST:
        return value
    from blake3 import blake3

    return f"{value[:_SHOWN]}… blake3:{blake3(value.encode()).hexdigest()}"
