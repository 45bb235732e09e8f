r"""`${...}` in `dvc.yaml`: what an expression may be, and what it stands for.

Source: `dvc/parsing/interpolate.py` and `dvc/parsing/context.py` of DVC 3; the
grammar there is `word(.word | [word])*`, and `\${` stands for itself.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats.dvc.config import Arguments
from audit.formats.dvc.variables import Variables

MAX_WORK = 8 * 2**20
"""Characters that the interpolations of one file may come to, all its stages together."""
_VALUE = 64  # what a value counts for besides its characters: some 130,000 of them are enough for anybody

_GRAMMAR = re.compile(r"[^.\[\]]++(?:\s*+\.[^.\[\]]++|\s*+\[[^.\[\]]++\])*\s*+")
"""No possessive group: early releases of Python 3.11 match more with one than it says."""
_PRIMITIVE = int | float | str | bytes | None


class Expression(NamedTuple):
    """An expression in a text: where it starts and ends, and what is between its braces."""

    start: int
    end: int
    inner: str


class Selected(NamedTuple):
    """A value that an expression stands for as a whole; DVC spells it otherwise than one that was written out."""

    value: Any


class Work:
    """Counts, so that a file of a few lines cannot come to gigabytes."""

    def __init__(self) -> None:
        self.left = MAX_WORK

    def add(self, amount: int) -> None:
        """Take from what is left; `FormatError` if that is too little."""
        self.left -= amount
        if self.left < 0:
            raise FormatError("its interpolations come to more than DVC files ever do")


def expressions(text: str) -> Iterator[Expression]:
    r"""Find `${...}` as the pattern `(?<!\\)\${(.*?)}` does, in one pass."""
    start, close, line_end = text.find("${"), 0, -1
    while start >= 0:
        close = close if close > start else text.find("}", start)
        if close < 0:
            return
        if line_end < start:
            line_end = text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
        if close < line_end and text[start - 1 : start] != "\\":
            yield Expression(start, close + 1, text[start + 2 : close])
            start = text.find("${", close)
        else:
            start = text.find("${", start + 1)


def has_expression(value: Any) -> bool:
    """Whether there is an expression anywhere in a value."""
    return any(True for text in _texts(value) for _ in expressions(text))


def check(value: Any) -> None:
    """Look at the grammar of every expression in a value; `FormatError` for the first that is none."""
    for text in _texts(value):
        for found in expressions(text):
            if not _GRAMMAR.fullmatch(found.inner):
                what = f"'${{{found.inner[:120]}}}' is no expression"
                raise FormatError(what, hint="${name}, ${name.part}, ${name[0]}")


def spelled(value: Any, arguments: Arguments) -> str:
    """Spell a value inside a text; a mapping becomes options of a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "".join(f"{word} " for name, each in _flat(value) for word in _options(name, each, arguments)).rstrip()
    return str(value)


class Resolver:
    """Puts values in the place of expressions."""

    def __init__(self, variables: Variables, arguments: Arguments, work: Work) -> None:
        self.variables = variables
        self.arguments = arguments
        self.work = work

    def resolve(self, value: Any, key: str | None) -> Any:
        """Resolve a value and all in it; `key` is the entry of the stage that it belongs to, None for loops."""
        self.work.add(_VALUE)
        if isinstance(value, str):
            return self.text(value, key)
        if isinstance(value, dict):
            return {self._name(name, key): self.resolve(each, key) for name, each in value.items()}
        if isinstance(value, list):
            return [self.resolve(each, key) for each in value]
        return value

    def text(self, text: str, key: str | None) -> Any:
        """Resolve a text: to any value if it is one expression, else to a text."""
        value = self.selected(text)
        if value is not None:
            return _fit_for(value.value, key)
        return self._interpolated(text, key)

    def selected(self, text: str) -> Selected | None:
        """The value of a text that is one expression and nothing else."""
        found = next(expressions(text), None)
        whole = found is not None and found.start == 0 and found.end == len(text)
        return Selected(self.variables.select(found.inner)) if found and whole else None

    def _interpolated(self, text: str, key: str | None) -> str:
        parts, at = [], 0
        for found in expressions(text):
            value = spelled(_fit_for(self.variables.select(found.inner), key), self.arguments)
            self.work.add(len(value))
            parts += [text[at : found.start], value]
            at = found.end
        self.work.add(len(text))
        return "".join([*parts, text[at:]]).replace(r"\${", "${")

    def _name(self, name: Any, key: str | None) -> Any:
        resolved = self.resolve(name, key)
        if isinstance(resolved, list | dict):
            raise FormatError("a name that is a collection")
        return resolved


def _fit_for(value: Any, key: str | None) -> Any:
    """Refuse a collection in a stage, except for a mapping in its command."""
    if isinstance(value, _PRIMITIVE) or key is None or (key == "cmd" and isinstance(value, dict)):
        return value
    raise FormatError(f"a {'mapping' if isinstance(value, dict) else 'list'} cannot stand in {key!r}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(name)
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _flat(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Walk over the leaves of nested mappings by their dotted names."""
    for name, each in value.items():
        if isinstance(each, dict):
            yield from _flat(each, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", each


def _options(name: str, value: Any, arguments: Arguments) -> Iterator[str]:
    if isinstance(value, bool):
        if value or arguments.both_ways:
            yield f"--{name}" if value else f"--no-{name}"
    elif isinstance(value, list):
        for at, each in enumerate(value):
            if isinstance(each, list | dict):
                raise FormatError(f"a collection inside the list {name!r} cannot stand in a command")
            word = shlex.quote(each) if isinstance(each, str) else str(each)
            yield f"--{name} {word}" if arguments.repeated or not at else word
    else:
        yield f"--{name} {shlex.quote(value) if isinstance(value, str) else value}"
