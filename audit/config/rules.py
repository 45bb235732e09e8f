"""Merged rules held against their checks and the project's datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.catalog import checks, load_check
from audit.config.merge import MergedRule, Said
from audit.config.shapes import MisfitError, Path, fit
from audit.errors import ConfigError
from audit.records.base import Record
from audit.records.check import Check
from audit.records.dataset import Dataset
from audit.records.parameters import dataset_parameters, left_open
from audit.records.text import guess, nearest
from audit.records.words import Severity, Trigger

DEFAULT_TRIGGERS = (Trigger.LAUNCH, Trigger.NIGHTLY)


class RuleSpec(Record):
    """A rule before it is spread over datasets.

    `parameters` fit `kind`, but for the datasets `left_open`, which the plan fills
    in. `place` is the file:line:column where the rule was last written.
    """

    id: str
    check: str
    kind: type[Check]
    parameters: dict[str, Any]
    left_open: tuple[str, ...]
    severity: Severity
    on: tuple[Trigger, ...]
    why: str
    enabled: bool
    place: str

    def asks(self, datasets: Mapping[str, str]) -> Check:
        """The check with its parameters, the open datasets filled in."""
        return fit(self.parameters | dict(datasets), self.kind)


def resolve(rule: MergedRule, datasets: Mapping[str, Dataset], ids: frozenset[str]) -> RuleSpec:
    """The rule with its check. Raises `ConfigError` at the place that said what does not fit."""
    kind = _kind(rule, ids)
    spec = RuleSpec(
        id=rule.id.value,
        check=rule.get("check"),
        kind=kind,
        parameters=rule.values(),
        left_open=left_open(kind, rule.parameters),
        severity=rule.get("severity", Severity.ERROR),
        on=tuple(rule.get("on", DEFAULT_TRIGGERS)),
        why=rule.get("why", ""),
        enabled=rule.get("enabled", True),
        place=rule.id.source.where(rule.id.path),
    )
    _parameters_fit(rule, spec)
    _datasets_fit(rule, kind, datasets)
    return spec


def _kind(rule: MergedRule, ids: frozenset[str]) -> type[Check]:
    said = rule.fields.get("check")
    if said is None:
        name = rule.id.value
        raise rule.id.fault(f"{name!r} names no check, and no extended file has such a rule", guess(name, ids - {name}))
    if said.value not in checks():
        raise said.fault(f"unknown check {said.value!r}", nearest(said.value, checks()))
    return load_check(said.value)


def _parameters_fit(rule: MergedRule, spec: RuleSpec) -> None:
    try:
        spec.asks(dict.fromkeys(spec.left_open, ""))
    except MisfitError as misfit:
        raise _blamed(rule, misfit) from None


def _blamed(rule: MergedRule, misfit: MisfitError) -> ConfigError:
    """The error at the parameter; what concerns all of them together stands at the rule's `with`, or at the rule."""
    if misfit.path and (said := rule.parameters.get(str(misfit.path[0]))):
        return said.fault(misfit.what, misfit.hint, misfit.path[1:])
    return rule.id.source.fault((*rule.id.path[:-1], "with"), misfit.what, misfit.hint)


def _datasets_fit(rule: MergedRule, kind: type[Check], datasets: Mapping[str, Dataset]) -> None:
    for parameter in dataset_parameters(kind):
        if said := rule.parameters.get(parameter):
            for path, name in _names(said):
                _dataset_fits(said, path, kind, datasets.get(name), nearest(name, datasets))


def _names(said: Said) -> Iterator[tuple[Path, str]]:
    """The names in a parameter that takes a dataset, or a list of them."""
    if isinstance(said.value, str):
        yield (), said.value
    elif isinstance(said.value, list):
        yield from (((index,), name) for index, name in enumerate(said.value) if isinstance(name, str))


def _dataset_fits(said: Said, path: Path, kind: type[Check], dataset: Dataset | None, hint: str) -> None:
    if dataset is None:
        raise said.fault("no dataset of that name", hint or "no dataset is declared", path)
    if kind.accepts and dataset.kind not in kind.accepts:
        accepted = " or ".join(sorted(kind.accepts))
        raise said.fault(f"{dataset.name!r} is of kind {dataset.kind}; the check takes {accepted}", "", path)
