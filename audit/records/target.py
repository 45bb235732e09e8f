"""How well single features tell the label."""

from __future__ import annotations

from typing import Literal

from audit.records.base import Record
from audit.records.shift import Left


class Strength(Record):
    """How well something tells the label: 0 not at all, 1 entirely; `auc` where the label has classes.

    `variance` is that of `value`, or for numbers that of Fisher's transformed
    correlation; `p` the probability of such a strength if it tells nothing.
    """

    value: float
    auc: float | None = None
    variance: float = 0.0
    p: float = 1.0


class Single(Record):
    """A feature alone: its strength in unseen rows of the reference, and in the current table, if that has it.

    `gap` is the probability that it is that much weaker in the current table by chance.
    `copy` says that its values and the label's correspond one to one, `copy_p` how
    likely that is by chance; `identifier` that no two rows share a value.
    """

    column: str
    here: Strength
    there: Strength | None = None
    gap: float = 1.0
    copy: bool = False
    copy_p: float = 1.0
    identifier: bool = False


class Target(Record):
    """The features of a table beside its label.

    `path` is the dataset's, as declared; `rows` are those with a label, `sampled` those
    looked at; `smallest` the rows of the rarest class, 0 for numbers. `order` is the strength
    of the row's number, `neighbours` the share of rows whose class is that of the row before, and
    `neighbours_by_chance` what it would be in random order. `compared` are the rows of the current table.
    """

    path: str = ""
    task: Literal["classes", "numbers"]
    rows: int
    sampled: int
    smallest: int = 0
    compared: int | None = None
    features: tuple[Single, ...] = ()
    left: tuple[Left, ...] = ()
    order: Strength = Strength(value=0.0)
    neighbours: float | None = None
    neighbours_by_chance: float | None = None
