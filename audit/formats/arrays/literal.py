"""Literals of Python, a few kinds of them: what stands in the header of a `.npy` and nothing else.

Source: the format description of numpy.lib.format; Python 2 wrote numbers as `3L`.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from audit.errors import FormatError

_DEPTH = 32

_TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
      (?P<sign>[()\[\]{},:])
    | (?P<number>-?\d{1,19})L?(?![\w.])
    | (?P<word>True|False|None)(?!\w)
    | (?P<text>[bu]?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))
    )""",
    re.VERBOSE,
)

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_SIGNS = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"True": True, "False": False, "None": None}
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def literal(text: str) -> Any:
    """The value of a literal of dicts, lists, tuples, texts, whole numbers and truth values. Raises `FormatError`."""
    parser = _Parser(text)
    value = parser.value(0)
    if text[parser.at :].strip(" \n\t\0"):
        raise FormatError("has a header that goes on behind its end")
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def _next(self) -> tuple[str, str]:
        found = _TOKEN.match(self._text, self.at)
        if found is None or found.lastgroup is None:
            raise FormatError(f"has a header that is no literal: {self._text[self.at : self.at + 20]!r}")
        self.at = found.end()
        return found.lastgroup, found[found.lastgroup]

    def _is_next(self, sign: str) -> bool:
        found = _TOKEN.match(self._text, self.at)
        if found is None or found["sign"] != sign:
            return False
        self.at = found.end()
        return True

    def value(self, depth: int) -> Any:
        kind, said = self._next()
        if kind == "number":
            return int(said)
        if kind == "word":
            return _WORDS[said]
        if kind == "text":
            return _text(said)
        if said not in _CLOSES or depth == _DEPTH:
            raise FormatError(f"has a header that is no literal, or too deep: {said!r}")
        return self._mapping(depth) if said == "{" else self._sequence(said, depth)

    def _sequence(self, opened: str, depth: int) -> Any:
        items: list[Any] = []
        comma = True
        while not self._is_next(_CLOSES[opened]):
            if not comma:
                raise FormatError("has a header without a comma between two values")
            items.append(self.value(depth + 1))
            comma = self._is_next(",")
        if opened == "(" and len(items) == 1 and not comma:
            return items[0]  # brackets around a value
        return tuple(items) if opened == "(" else items

    def _mapping(self, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        comma = True
        while not self._is_next("}"):
            key = self.value(depth + 1)
            if not comma or not isinstance(key, str) or key in items or not self._is_next(":"):
                raise FormatError("has a header whose keys are no words, or stand twice")
            items[key] = self.value(depth + 1)
            comma = self._is_next(",")
        return items


def _text(said: str) -> str:
    said = said.lstrip("bu")[1:-1]
    return _ESCAPE.sub(_escaped, said) if "\\" in said else said


def _escaped(found: re.Match[str]) -> str:
    """The character that a backslash and what is behind it stand for."""
    if found[4] in _SIGNS:
        return _SIGNS[found[4]]
    number = int(found[1] or found[2] or found[3] or "-1", 16)
    if not 0 <= number <= sys.maxunicode:
        raise FormatError(f"has a header with a text that is none: {found[0]!r}")
    return chr(number)
