"""Where each value of a document stands, so that an error can name the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

Path = tuple[str | int, ...]
"""The way from the root to a value: keys of mappings and places in sequences."""


class Mark(NamedTuple):
    """A place in a file; both numbers count from 1, columns in characters."""

    line: int
    column: int


class Spot(msgspec.Struct, frozen=True):
    """Where a value is (in libyaml's words), and the spots of what is in it."""

    start: Any
    inside: dict[Any, Spot] | list[Spot] | None = None

    @property
    def mark(self) -> Mark:
        """The place in our words: libyaml counts from 0."""
        return Mark(self.start.line + 1, self.start.column + 1)

    def step(self, step: str | int) -> Spot:
        """Go to an entry or an item; `KeyError` where there is none."""
        inside = self.inside
        if isinstance(inside, dict):
            return inside[step]
        if isinstance(inside, list) and isinstance(step, int) and 0 <= step < len(inside):
            return inside[step]
        raise KeyError(step)

    def paths(self, path: Path = ()) -> Iterator[Path]:
        """Walk over the path of this spot and of all in it."""
        yield path
        inside = self.inside or ()
        for step, spot in inside.items() if isinstance(inside, dict) else enumerate(inside):
            yield from spot.paths((*path, step))


class Marks(Mapping[Path, Mark]):
    """The mark of every value by its path; an entry of a mapping is marked at its key.

    What an alias stands for is marked where its anchor is.
    """

    def __init__(self, root: Spot) -> None:
        self._root = root

    def __getitem__(self, path: Path) -> Mark:
        spot = self._root
        for step in path:
            spot = spot.step(step)
        return spot.mark

    def __iter__(self) -> Iterator[Path]:
        return self._root.paths()

    def __len__(self) -> int:
        return sum(1 for _ in self)
