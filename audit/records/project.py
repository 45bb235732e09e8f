"""The project as rules see it: where it is, its datasets, and what else runs."""

from __future__ import annotations

from audit.errors import ConfigError
from audit.records.base import Record
from audit.records.check import Check
from audit.records.dataset import Dataset
from audit.records.words import Role, Severity, Trigger


class Environment(Record):
    """Which environment to audit, and whether its frameworks may be imported there.

    `command` is the program that the launch gate would start, with its arguments. `trusted`: its interpreter may run
    although the project's Git tracks it.
    """

    python: str | None = None
    import_frameworks: bool = True
    command: tuple[str, ...] = ()
    trusted: bool = False


class PlannedRule(Record):
    """A rule over its datasets: a check to run, or the reason why it does not run."""

    id: str
    check: str
    severity: Severity
    why: str = ""
    asks: Check | None = None
    skip: str | None = None
    error: str | None = None


class Project(Record):
    """The folder that is audited. `root` is absolute."""

    root: str
    name: str
    trigger: Trigger
    datasets: tuple[Dataset, ...] = ()
    environment: Environment = Environment()
    rules: tuple[PlannedRule, ...] = ()

    def dataset(self, name: str) -> Dataset:
        """The dataset of that name."""
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        raise ConfigError(f"unknown dataset {name!r}")

    def role(self, role: Role) -> tuple[Dataset, ...]:
        """The datasets that have the role."""
        return tuple(dataset for dataset in self.datasets if dataset.role == role)
