"""Text for people: nothing in it steers a terminal, and a mistyped word is told the right one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_MANY = 12  # words in a hint: about a line
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def plain(text: str) -> str:
    r"""The text with every control, format or surrogate character as an escape; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) not in _UNSAFE else _escape(letter)
        for letter in text
    )


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def guess(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known word most like this one, as a question; nothing if none is alike enough (1 is the same)."""
    import difflib

    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=likeness)
    return f"did you mean {close[0]!r}?" if close else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like this one, as a question; else the known words."""
    words = sorted(known)
    if not words:
        return ""
    return guess(word, words) or f"known: {', '.join(words[:_MANY])}{', ...' if len(words) > _MANY else ''}"
