"""What a project can say must not steer a terminal: control and direction characters are spelled out."""

from __future__ import annotations

import unicodedata

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def plain(text: str) -> str:
    r"""The text with every control, format or surrogate character as an escape; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if letter in "\n\t" or unicodedata.category(letter) not in _UNSAFE else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
