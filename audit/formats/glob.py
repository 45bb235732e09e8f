"""Globs of `audit.yaml`: which names of a tree a pattern takes, one folder after another.

The language is that of `pathlib` (https://docs.python.org/3/library/pathlib.html#pattern-language):
`*`, `?` and `[...]` match within one name, `**` stands for any number of folders.
A name that begins with a dot is taken only by a component that begins with one.

A pattern is followed as a set of positions, so that a tree is walked once however
many `**` there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import NamedTuple

from audit.errors import FormatError

_SIGNS = re.compile(r"[*?\[]")
_ANY_DEPTH = "**"

Positions = frozenset[int]
"""The components that the next name may match: an empty set means that nothing below is taken."""


def has_signs(path: str) -> bool:
    """Whether a path is a pattern; one that is not names a file or folder to the letter."""
    return bool(_SIGNS.search(path))


class Step(NamedTuple):
    """What a name leads to: a match if `taken`, else perhaps matches below it, at `positions`.

    `named` is whether a component takes the name, and not only a `**` passes it by.
    """

    taken: bool
    named: bool
    positions: Positions


class Component(NamedTuple):
    """What stands between two slashes of a pattern; `takes` says whether a name fits."""

    text: str
    literal: bool
    takes: Callable[[str], object]


def _component(text: str) -> Component:
    if not has_signs(text):
        return Component(text, literal=True, takes=text.__eq__)
    dot_rule = "" if text.startswith(".") else r"(?!\.)"
    return Component(text, literal=False, takes=re.compile(dot_rule + translate(text)).match)


class Pattern:
    """A glob relative to a folder. Raises `FormatError` if `**` is only a part of a name."""

    def __init__(self, text: str) -> None:
        parts = [part for part in text.split("/") if part not in {"", "."}]
        if any(_ANY_DEPTH in part and part != _ANY_DEPTH for part in parts):
            raise FormatError(
                "`**` must stand alone between slashes", where=text, hint="`data/**/*.wav` takes all below data"
            )
        self._parts = [_component(part) for part in parts]
        self.start = self._closed({0})

    def names_all(self, positions: Positions) -> bool:
        """Whether a folder reached with these positions is taken with everything in it."""
        return len(self._parts) in positions

    def literal(self, positions: Positions) -> str | None:
        """The only name that can come next, if there is only one."""
        if len(positions) != 1:
            return None
        part = self._parts[next(iter(positions))]
        return part.text if part.literal else None

    def files(self, positions: Positions) -> Component | None:
        """The component by which files in a folder are taken, if any are; `step` says the same of one name, slower."""
        last = len(self._parts) - 1
        return self._parts[last] if last in positions and not self._deep(last) else None

    def step(self, positions: Positions, name: str) -> Step:
        """Where a name in a folder leads."""
        ahead = {at + 1 for at in positions if not self._deep(at) and self._parts[at].takes(name)}
        taken, named = len(self._parts) in ahead, bool(ahead)
        if not name.startswith("."):
            ahead |= {at for at in positions if self._deep(at)}
        return Step(taken, named, self._closed(ahead))

    def _deep(self, at: int) -> bool:
        return self._parts[at].text == _ANY_DEPTH

    def _closed(self, positions: set[int]) -> Positions:
        """With the positions behind each `**`, which may stand for no folder at all."""
        behind = {at + 1 for at in positions if at < len(self._parts) and self._deep(at)}
        return frozenset(positions) if behind <= positions else self._closed(positions | behind)
