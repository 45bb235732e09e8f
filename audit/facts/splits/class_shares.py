"""How far the class shares of splits are from those of the first, and whether chance explains it."""

from __future__ import annotations

from audit.facts.processes.ask import ask
from audit.facts.processes.split_shares import Apart, Counted, Counteds
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.splits import ClassCounts, Classes

_TIMEOUT_S = 600


class Stratified(Record):
    """The classes, and for each split but the first how far its shares are apart; None where a side has none."""

    classes: Classes
    apart: tuple[Apart | None, ...]


class ClassShares(Request[Stratified]):
    """The shares of `classes`, tested at the level `below` divided by how many tests there are."""

    classes: Request[Classes]
    below: float

    def collect(self, ctx: Context) -> Stratified:
        """Count, and ask a program that has numpy."""
        found = ctx.get(self.classes)
        first, *others = found.splits
        able = [one for one in others if first.counts and one.counts]
        each = tuple(_counted(first, one, self.below / len(able)) for one in able)
        told = ask(ctx.host, "split_shares", Counteds(each=each), tuple[Apart, ...], _TIMEOUT_S) if each else ()
        by_split = {one.split: apart for one, apart in zip(able, told, strict=True)}
        return Stratified(classes=found, apart=tuple(by_split.get(one.split) for one in others))


def _counted(first: ClassCounts, other: ClassCounts, below: float) -> Counted:
    a, b = dict(first.counts), dict(other.counts)
    names = sorted(a.keys() | b.keys())
    return Counted(
        reference=tuple(a.get(name, 0) for name in names),
        current=tuple(b.get(name, 0) for name in names),
        below=below,
    )
