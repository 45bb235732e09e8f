"""Who verifies what: the claims of rules, beside the files of the datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from audit.errors import AuditError, CannotLook, NotApplicable
from audit.facts import droppings
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.links import below
from audit.records.base import Record
from audit.records.check import Covered, Request
from audit.records.context import Context
from audit.records.dataset import Dataset


class Claim(NamedTuple):
    """A rule, the request that tells what it covers, and whether its failing fails the audit."""

    rule: str
    covers: Request[Covered]
    binding: bool = True


class Idle(NamedTuple):
    """A rule that would compare content with a record, and the reason why it does not run."""

    rule: str
    reason: str


class Doubt(NamedTuple):
    """Why a rule cannot tell what it covers: what is wrong, with which file, if it is one, and the next step."""

    what: str
    where: str = ""
    hint: str = ""


class DatasetCoverage(Record):
    """One dataset: its files, sorted, that no rule covers, of how many, and the rules that cover others.

    What file managers drop into folders (`droppings`) is no data, and needs no cover.
    `obstacles` are the places in it that could not be looked at. `problem` is why
    nothing is known of it, `hint` what to do then. `awaited` are the rules that fail the
    audit until it is recorded, and then cover it whole; `records` the lists that have others of its files.
    """

    name: str
    path: str
    files: int = 0
    uncovered: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    awaited: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    problem: str = ""
    hint: str = ""


class Covers(Record):
    """The datasets that are there, the rules that cannot tell what they cover, and those that do not run."""

    datasets: tuple[DatasetCoverage, ...]
    unknown: Mapping[str, Doubt] = {}
    idle: tuple[Idle, ...] = ()


class Coverage(Request[Covers]):
    """What the rules of `claims` cover of the `datasets` in the project at `root` (absolute), beside the idle ones."""

    root: str
    datasets: tuple[Dataset, ...]
    claims: tuple[Claim, ...]
    idle: tuple[Idle, ...] = ()

    def collect(self, ctx: Context) -> Covers:
        """Ask every rule, then go through every file. An optional dataset that is not there is left out."""
        claimed: dict[str, str] = {}
        said: dict[str, Covered] = {}
        unknown: dict[str, Doubt] = {}
        for rule, covers, binding in self.claims:
            try:
                covered = ctx.get(covers)
                said[rule] = covered if binding else msgspec.structs.replace(covered, awaiting=())
                for path in self._paths(ctx, said[rule]):
                    claimed.setdefault(path, rule)
            except NotApplicable:
                continue
            except AuditError as error:
                unknown[rule] = Doubt(error.what, error.where, error.hint)
        datasets = (self._covered(ctx, dataset, claimed, said) for dataset in self.datasets)
        return Covers(datasets=tuple(found for found in datasets if found), unknown=unknown, idle=self.idle)

    def _paths(self, ctx: Context, covered: Covered) -> Iterator[str]:
        """All that a rule covers, the files of whole datasets one by one: other datasets may share them."""
        yield from covered.paths
        for dataset in self.datasets:
            if dataset.name in covered.datasets:
                yield from (file.path for file in ctx.get(DatasetFiles(root=self.root, dataset=dataset)).files)

    def _covered(
        self, ctx: Context, dataset: Dataset, claimed: Mapping[str, str], said: Mapping[str, Covered]
    ) -> DatasetCoverage | None:
        try:
            found = ctx.get(DatasetFiles(root=self.root, dataset=dataset))
        except NotApplicable:
            return None
        except CannotLook as error:
            return DatasetCoverage(name=dataset.name, path=dataset.path, problem=error.what, hint=error.hint)
        rules = {file.path: _rule(file, self.root, claimed) for file in found.files}
        active = tuple(sorted({rule for rule in rules.values() if rule}))
        return DatasetCoverage(
            name=dataset.name,
            path=dataset.path,
            files=len(rules),
            uncovered=tuple(path for path, rule in rules.items() if rule is None and not _is_dropping(path)),
            rules=active,
            awaited=tuple(sorted(rule for rule, covered in said.items() if dataset.name in covered.awaiting)),
            records=tuple(sorted({said[rule].record for rule in active} - {""})),
            obstacles=tuple(place.path for place in found.obstacles),
        )


def _rule(file: File, root: str, claimed: Mapping[str, str]) -> str | None:
    """The first rule that covers the file, as it is called or where it really is, or a folder above it."""
    real = below(root, file.location)
    names = (file.path,) if real in {file.path, None} else (file.path, str(real))
    return next((claimed[path] for name in names for path in _upwards(name) if path in claimed), None)


def _is_dropping(path: str) -> bool:
    return droppings.pattern(path.rpartition("/")[2]) != ""


def _upwards(path: str) -> Iterable[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield "."
