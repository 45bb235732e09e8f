"""`audit.yaml` and its packs, checked and typed: all that the plan is made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from audit.catalog import load_check, nearest
from audit.config.datasets import dataset
from audit.config.merge import MergedRule, merge
from audit.config.model import WaiverEntry
from audit.config.packs import Layer, layers
from audit.config.source import explain
from audit.errors import ConfigError
from audit.records.base import Record
from audit.records.check import Check
from audit.records.dataset import Dataset
from audit.records.parameters import dataset_parameters
from audit.records.project import Environment
from audit.records.report import canonical
from audit.records.words import FailOn, Severity, Trigger

FILE = "audit.yaml"
DEFAULT_TRIGGERS = (Trigger.LAUNCH, Trigger.NIGHTLY)


class RuleSpec(Record):
    """A rule before it is spread over datasets. `parameters` fit `kind`, but for datasets left out."""

    id: str
    check: str
    kind: type[Check]
    parameters: dict[str, object]
    severity: Severity
    on: tuple[Trigger, ...]
    why: str
    enabled: bool
    place: str


class Config(Record):
    """A project's configuration. `digest` is SHA-256 over everything that can change a verdict."""

    root: Path
    name: str
    fail_on: FailOn
    environment: Environment
    datasets: tuple[Dataset, ...]
    rules: tuple[RuleSpec, ...]
    waivers: tuple[WaiverEntry, ...]
    digest: str


def load_config(root: Path) -> Config:
    """Read `audit.yaml` in the folder. Raises `ConfigError` with file:line:column and the next step."""
    stack = layers(root / FILE, FILE)
    own = stack[-1]
    datasets = tuple(dataset(own.source, name, entry) for name, entry in own.content.datasets.items())
    rules = tuple(_rule(rule, datasets) for rule in merge(stack))
    _waived_rules_exist(own, rules)
    fail_on = next((layer.content.fail_on for layer in reversed(stack) if layer.content.fail_on), FailOn.ERROR)
    environment = own.content.environment
    return Config(
        root=root,
        name=own.content.name or root.name,
        fail_on=fail_on,
        environment=Environment(python=environment.python, import_frameworks=environment.import_frameworks)
        if environment
        else Environment(),
        datasets=datasets,
        rules=rules,
        waivers=tuple(own.content.waivers),
        digest=_digest(datasets, rules, own),
    )


def _rule(rule: MergedRule, datasets: tuple[Dataset, ...]) -> RuleSpec:
    name = rule.fields.get("check")
    if name is None:
        raise ConfigError(f"the rule {rule.id!r} names no check, and no pack above has a rule of that id", where=rule.where("id"))
    try:
        kind = load_check(name)
    except ConfigError as error:
        raise ConfigError(error.what, where=rule.where("check"), hint=error.hint) from None
    _check_parameters(rule, kind, datasets)
    return RuleSpec(
        id=rule.id,
        check=name,
        kind=kind,
        parameters=rule.parameters,
        severity=rule.fields.get("severity", Severity.ERROR),
        on=tuple(rule.fields.get("on", DEFAULT_TRIGGERS)),
        why=rule.fields.get("why", ""),
        enabled=rule.fields.get("enabled", True),
        place=rule.where("id"),
    )


def _check_parameters(rule: MergedRule, kind: type[Check], datasets: tuple[Dataset, ...]) -> None:
    """The parameters fit the check; datasets that the plan will fill in stand as a placeholder."""
    import msgspec

    names = dataset_parameters(kind)
    known = {item.name: item for item in datasets}
    for parameter in names:
        said = rule.parameters.get(parameter)
        if isinstance(said, str):
            _dataset_fits(rule, kind, parameter, known, said)
    filled = dict.fromkeys(names, "") | rule.parameters
    try:
        msgspec.convert(filled, kind, strict=True)
    except (msgspec.ValidationError, ValueError) as error:
        fault = explain(rule.places[-1].source, (), str(error), kind)
        raise ConfigError(f"{rule.id}: {fault.what}", where=_blamed(rule, str(error)), hint=fault.hint) from None


def _blamed(rule: MergedRule, message: str) -> str:
    """The place of the parameter that a message names: its key, or the head of its path."""
    named = message.split("`")[1] if "unknown field" in message else message.partition("`$.")[2].partition(".")[0]
    return rule.where("with", named.rstrip("`").partition("[")[0]) if named else rule.where("with")


def _dataset_fits(rule: MergedRule, kind: type[Check], parameter: str, known: dict[str, Dataset], said: str) -> None:
    where = rule.where("with", parameter)
    if said not in known:
        raise ConfigError(f"unknown dataset {said!r}", where=where, hint=nearest(said, known) or "no dataset is declared")
    if kind.accepts and known[said].kind not in kind.accepts:
        kinds = ", ".join(sorted(kind.accepts))
        raise ConfigError(f"the dataset {said!r} is of kind {known[said].kind}; the check takes {kinds}", where=where)


def _waived_rules_exist(own: Layer, rules: tuple[RuleSpec, ...]) -> None:
    known = {rule.id for rule in rules}
    for index, waiver in enumerate(own.content.waivers):
        if waiver.rule.partition("[")[0] not in known:
            raise ConfigError(
                f"a waiver names the unknown rule {waiver.rule!r}",
                where=own.source.where(("waivers", index, "rule")),
                hint=nearest(waiver.rule, known),
            )


def _digest(datasets: tuple[Dataset, ...], rules: tuple[RuleSpec, ...], own: Layer) -> str:
    said = [
        [rule.id, rule.check, rule.parameters, rule.severity, sorted(rule.on), rule.enabled] for rule in rules
    ]
    return hashlib.sha256(canonical([datasets, said, own.content.environment, own.content.waivers])).hexdigest()
