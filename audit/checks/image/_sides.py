"""Width and height within their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audit.checks.image._traits import Departure, Told
from audit.records.words import Severity


class Bounds(NamedTuple):
    """What one side may be, in pixels: exact values, or least and most."""

    side: str
    exact: tuple[int, ...] = ()
    least: int | None = None
    most: int | None = None

    def broken(self, found: int) -> tuple[str, int | str] | None:
        """The words for what it breaks, and what was expected; None if nothing."""
        if self.exact and found not in self.exact:
            ought = " or ".join(map(str, self.exact))
            return f"{self.side} {found}, not {ought}", self.exact[0] if len(self.exact) == 1 else ought
        if self.least is not None and found < self.least:
            return f"{self.side} {found}, less than {self.least}", self.least
        if self.most is not None and found > self.most:
            return f"{self.side} {found}, more than {self.most}", self.most
        return None


def outside(bounds: tuple[Bounds, Bounds], one: Told) -> Iterator[Departure]:
    """What is wrong with width and height, in one word."""
    broken = [said for bound, side in zip(bounds, one.sides, strict=True) if (said := bound.broken(side))]
    if broken:
        message = "; ".join(words for words, _ in broken)
        if one.header.orientation != 1:
            message += f" ({stored(one)}, orientation {one.header.orientation})"
        expected = broken[0][1] if len(broken) == 1 else ", ".join(str(ought) for _, ought in broken)
        yield Departure("size", message, Severity.ERROR, expected, "{} x {}".format(*one.sides))


def stored(one: Told) -> str:
    """Both sizes of a turned picture."""
    header = one.header
    upright = "{} x {}".format(*header.upright)
    return f"stored {header.width} x {header.height}, upright {upright}"
