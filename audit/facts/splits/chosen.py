"""Which datasets are the splits that a rule compares."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from audit.errors import ConfigError, NotApplicable
from audit.records.base import Record
from audit.records.dataset import Dataset
from audit.records.project import Project
from audit.records.splits import ordered
from audit.records.words import Kind

_TWO = 2


class Member(Record):
    """A dataset and the split that it belongs to."""

    split: str
    dataset: Dataset


class Chosen(Record):
    """The splits: datasets that belong to one each, or one table whose `column` says it of each row."""

    members: tuple[Member, ...]
    column: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The splits in their order; empty where only the table knows."""
        return () if self.column else tuple(ordered(dict.fromkeys(one.split for one in self.members)))

    @property
    def tables(self) -> bool:
        """Whether rows are compared, not files."""
        return all(one.dataset.kind is Kind.TABLE for one in self.members)


def chosen(
    project: Project, accepts: Collection[Kind], names: Sequence[str], table: str | None, column: str | None
) -> Chosen:
    """The splits that a rule names, or else every dataset with a role and a kind that its check accepts.

    As `families`, where there can only be one. Raises `ConfigError` if tables and files
    both have roles, so that the rule must say which.
    """
    first, *others = families(project, accepts, names, table, column)
    if others:
        raise ConfigError("tables and files both have roles", hint="name those to compare in `splits`")
    return first


def families(
    project: Project, accepts: Collection[Kind], names: Sequence[str], table: str | None, column: str | None
) -> tuple[Chosen, ...]:
    """The splits to compare: of tables, of files, or of both apart. Datasets of one role are one split.

    Raises `NotApplicable` for fewer than two splits, `ConfigError` for parameters that do
    not go together.
    """
    if table is not None or column is not None:
        return (_one_table(project, names, table, column),)
    if names:
        return (_named([project.dataset(name) for name in dict.fromkeys(names)]),)
    found = [one for one in project.datasets if one.role is not None and (not accepts or one.kind in accepts)]
    parted = [_by_role([one for one in found if (one.kind is Kind.TABLE) is tables]) for tables in (True, False)]
    able = tuple(one for one in parted if len(one.names) >= _TWO)
    if not able:
        raise NotApplicable("fewer than two datasets of one kind have the role train, val or test")
    return able


def _one_table(project: Project, names: Sequence[str], table: str | None, column: str | None) -> Chosen:
    if table is None or not column:
        raise ConfigError("`dataset` and `split_column` go together", hint="name the table, and its column of splits")
    if names:
        raise ConfigError("`splits` names datasets, `split_column` a column: only one of them can tell the splits")
    dataset = project.dataset(table)
    if dataset.kind is not Kind.TABLE:
        raise ConfigError(f"{table!r} is of kind {dataset.kind}; only a table has a column of splits")
    return Chosen(members=(Member(split="", dataset=dataset),), column=column)


def _named(datasets: Sequence[Dataset]) -> Chosen:
    """By their roles, where each has one of its own or shares it; else by their own names."""
    if len(datasets) < _TWO:
        raise ConfigError("`splits` names one dataset; there is nothing to compare it with")
    if len({one.kind is Kind.TABLE for one in datasets}) > 1:
        raise ConfigError("`splits` names tables and files, which cannot be compared")
    found = _by_role(datasets)
    return found if len(found.names) >= _TWO else _by_name(datasets)


def _by_role(datasets: Sequence[Dataset]) -> Chosen:
    return _in_order([Member(split=str(one.role or one.name), dataset=one) for one in datasets])


def _by_name(datasets: Sequence[Dataset]) -> Chosen:
    return _in_order([Member(split=one.name, dataset=one) for one in datasets])


def _in_order(members: Sequence[Member]) -> Chosen:
    names = ordered(dict.fromkeys(one.split for one in members))
    return Chosen(members=tuple(sorted(members, key=lambda one: names.index(one.split))))
