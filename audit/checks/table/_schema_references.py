"""Which datasets a rule means: the one whose schema is inferred, and those that have the keys."""

from __future__ import annotations

from audit.errors import ConfigError, NotApplicable
from audit.facts.tables.schema import ForeignKey
from audit.records.dataset import Dataset
from audit.records.project import Project
from audit.records.schema import Reference
from audit.records.text import nearest
from audit.records.words import Kind, Role

_ROLE = "role:"


def references(project: Project, dataset: Dataset, word: str, *, alone: bool) -> tuple[Dataset, ...]:
    """The tables, one of which the dataset must be like; none if the rule names none.

    With `alone` nothing else is asked of the dataset, and where there is no such table
    `NotApplicable` is raised. Raises `ConfigError` for a word that names nothing.
    """
    found, why = _meant(project, dataset, word) if word else ((), "")
    if alone and not found and why:
        raise NotApplicable(why)
    return found


def _meant(project: Project, dataset: Dataset, word: str) -> tuple[tuple[Dataset, ...], str]:
    names = {one.name: one for one in project.datasets}
    if word == dataset.name:
        return (), f"{word!r} is the table itself whose schema others must have"
    if word in names:
        return (_table(names[word]),), ""
    if word.removeprefix(_ROLE) not in set(Role):
        known = [*names, *(f"{_ROLE}{role}" for role in Role)]
        raise ConfigError(f"infer: no dataset or role is called {word!r}", hint=nearest(word, known))
    return _of_role(project, dataset, Role(word.removeprefix(_ROLE)), strict=word.startswith(_ROLE))


def _of_role(project: Project, dataset: Dataset, role: Role, *, strict: bool) -> tuple[tuple[Dataset, ...], str]:
    if dataset.role is role:
        return (), f"{dataset.name!r} has the role {role} itself"
    if strict and dataset.role is None:
        return (), f"{dataset.name!r} has no role, so nothing says that it is like those with the role {role}"
    found = tuple(one for one in project.role(role) if one.kind is Kind.TABLE)
    return found, "" if found else f"no table with the role {role} is declared"


def _table(dataset: Dataset) -> Dataset:
    if dataset.kind is not Kind.TABLE:
        raise ConfigError(f"{dataset.name!r} is of kind {dataset.kind}, not table")
    return dataset


def foreign_key(project: Project, key: Reference) -> ForeignKey:
    """The key with its dataset. Raises `ConfigError` if there is no such table."""
    names = {one.name: one for one in project.datasets}
    if key.dataset not in names:
        raise ConfigError(f"references: no dataset is called {key.dataset!r}", hint=nearest(key.dataset, names))
    return ForeignKey(columns=key.columns, dataset=_table(names[key.dataset]), to=key.keys)
