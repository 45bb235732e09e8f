"""What all checks of splits have in common: how a rule says which splits it compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from audit.facts.splits.chosen import Chosen, chosen, families
from audit.records.check import Check
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Violation
from audit.records.project import Project
from audit.records.text import plain
from audit.records.words import Kind, Severity

FILES = frozenset(Kind) - {Kind.TABLE}
Text = Annotated[str, Meta(min_length=1)]
_NAMED = 3
_LONGEST = 200


class SplitCheck(Check):
    """A check that compares splits."""

    splits: Annotated[
        tuple[DatasetName, ...],
        Meta(description="The datasets to compare; left out, those with the roles train, val and test."),
    ] = ()
    dataset: Annotated[DatasetName | None, Meta(description="One table that holds all splits; see `split_column`.")] = (
        None
    )
    split_column: Annotated[Text | None, Meta(description="The column of `dataset` whose values name the splits.")] = (
        None
    )

    def chosen(self, project: Project, accepts: frozenset[Kind] = frozenset()) -> Chosen:
        """The splits that the rule compares, of kinds in `accepts`."""
        return chosen(project, accepts, self.splits, self.dataset, self.split_column)

    def families(self, project: Project, accepts: frozenset[Kind] = frozenset()) -> tuple[Chosen, ...]:
        """As `chosen`, tables and files apart."""
        return families(project, accepts, self.splits, self.dataset, self.split_column)


def plural(count: int, noun: str, several: str = "") -> str:
    """`1 row`, `1,000 rows`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def share(part: int, whole: int) -> str:
    """`3 of 10 (30 %)`; small shares keep two digits."""
    percent = 100 * part / whole if whole else 0.0
    return f"{part:,} of {whole:,} ({percent:.3g} %)"


def some(names: Sequence[str], total: int | None = None, limit: int = _NAMED) -> str:
    """The first of the names, and how many more there are; `total` if not all are given."""
    more = (len(names) if total is None else total) - limit
    return ", ".join(name[:_LONGEST] for name in names[:limit]) + (f" and {more:,} more" if more > 0 else "")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], limit: int = 40) -> Exhibit:
    """A bounded table; what it leaves out is said in its title."""
    left = f" (the first {limit} of {len(rows):,})" if len(rows) > limit else ""
    cells = [[_cell(value) for value in row] for row in rows[:limit]]
    return Exhibit(type="table", title=title + left, data={"columns": list(columns), "rows": cells})


def _cell(value: object) -> object:
    return plain(value[:_LONGEST]) if isinstance(value, str) else value  # names of files may be no UTF-8


def empties(sizes: Iterable[tuple[str, str, int]], unit: str) -> Iterator[Violation]:
    """A split of which nothing is there, by name, subject and size: nothing was compared with it."""
    for name, subject, size in sizes:
        if not size:
            message = f"{name} has no {unit}s, so nothing was compared with it"
            yield Violation(subject=subject, kind="empty", severity=Severity.WARNING, message=message)


def unsplit(path: str, column: str, count: int) -> Violation:
    """Rows whose split column is empty belong nowhere."""
    return Violation(
        subject=f"{path}#{column}",
        kind="no-split",
        severity=Severity.WARNING,
        message=f"{plural(count, 'row')} without a split: {column!r} is empty; name their split, or take them out",
        found=count,
    )
