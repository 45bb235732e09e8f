"""What breaks the rules for values, in words: how many, of how many, and where the first of them stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from audit.checks.table._schema_words import counted, cut, share
from audit.records.findings import Violation
from audit.records.shape import Breach

_SAYS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "min": lambda bound: f"below {bound}",
        "max": lambda bound: f"above {bound}",
        "allowed": lambda values: f"not one of {values}",
        "pattern": lambda pattern: f"not matched by {pattern}",
        "length": lambda bound: f"not of a length of {bound}",
        "unique": lambda _: "like one in a row above",
        "monotonic": lambda direction: f"not {direction} from the row above",
        "sum": lambda one: f"with a sum that is not {one}",
        "reference": lambda key: f"not {key}",
    }
)


def broken(path: str, breach: Breach, mistyped: AbstractSet[str], *, show: bool) -> Iterator[Violation]:
    """One violation; none for what cannot be held against a column whose type is wrong anyway."""
    subject = f"{path}#{','.join(breach.columns)}"
    if not breach.unfit:
        yield _counted(subject, breach, show=show)
    elif breach.blind or mistyped.isdisjoint(breach.columns):
        yield Violation(
            subject=subject,
            kind=breach.kind,
            message=breach.unfit,
            expected=cut(breach.expected) or None,
            unseen=breach.blind,
        )


def _counted(subject: str, breach: Breach, *, show: bool) -> Violation:
    noun = "value" if len(breach.columns) == 1 else "row"
    how = _SAYS[breach.kind](cut(breach.expected))
    told = f"{breach.count:,} of {counted(breach.of, noun)} ({share(breach.count, breach.of)}) {how}"
    return Violation(
        subject=subject,
        kind=breach.kind,
        message=f"{told}: {_where(breach, show=show)}",
        expected=cut(breach.expected),
        found=breach.count,
    )


def _where(breach: Breach, *, show: bool) -> str:
    places = [f"row {row:,}" for row in breach.rows]
    if show:
        places = [f"{value!r} in {place}" for place, value in zip(places, breach.values, strict=True)]
    return ", ".join(places) + (", ..." if breach.count > len(places) else "")
