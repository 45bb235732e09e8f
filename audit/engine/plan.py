"""The plan: rules spread over datasets, each to run or with the reason why it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import msgspec

from audit.catalog import nearest
from audit.config.load import Config, RuleSpec
from audit.errors import UsageError
from audit.records.dataset import Dataset
from audit.records.parameters import dataset_parameters
from audit.records.project import PlannedRule, Project
from audit.records.report import Selection
from audit.records.words import Role, Trigger

_DEFAULT_ROLES = {"reference": Role.TRAIN, "current": Role.VAL}


def plan(config: Config, trigger: Trigger, selection: Selection) -> Project:
    """The project with its planned rules. Raises `UsageError` for a selection that names no rule."""
    rules = [planned for spec in config.rules for planned in _spread(config, spec, trigger)]
    chosen = tuple(_narrow(rule, selection) for rule in rules)
    _all_words_known(chosen, selection)
    return Project(
        root=str(config.root),
        name=config.name,
        trigger=trigger,
        datasets=config.datasets,
        environment=config.environment,
        rules=chosen,
    )


def _spread(config: Config, spec: RuleSpec, trigger: Trigger) -> Iterator[PlannedRule]:
    """One planned rule for each choice of the datasets that the rule leaves open."""
    open_ones = [name for name in dataset_parameters(spec.kind) if name not in spec.parameters and _fills_itself(name)]
    choices = [_candidates(config, spec, name) for name in open_ones]
    idle = _idle(spec, trigger)
    empty = next((name for name, found in zip(open_ones, choices, strict=True) if not found), None)
    if idle or empty:
        yield _planned(spec, spec.id, skip=idle or _lacking(spec, str(empty)))
        return
    for combination in product(*choices):
        if len({dataset.kind for dataset in combination}) <= 1:
            filled = dict(zip(open_ones, (dataset.name for dataset in combination), strict=True))
            tail = f"[{'/'.join(filled.values())}]" if filled else ""
            check = msgspec.convert(spec.parameters | filled, spec.kind, strict=True)
            yield msgspec.structs.replace(_planned(spec, spec.id + tail), asks=check)


def _fills_itself(name: str) -> bool:
    return name == "dataset" or name in _DEFAULT_ROLES


def _candidates(config: Config, spec: RuleSpec, parameter: str) -> Sequence[Dataset]:
    role = _DEFAULT_ROLES.get(parameter)
    return [
        dataset
        for dataset in config.datasets
        if (not spec.kind.accepts or dataset.kind in spec.kind.accepts) and (role is None or dataset.role is role)
    ]


def _idle(spec: RuleSpec, trigger: Trigger) -> str | None:
    if not spec.enabled:
        return "switched off (enabled: false)"
    if trigger not in spec.on:
        return f"runs on {', '.join(spec.on)}"
    return None


def _lacking(spec: RuleSpec, parameter: str) -> str:
    kinds = " or ".join(sorted(spec.kind.accepts)) or "any kind"
    role = _DEFAULT_ROLES.get(parameter)
    return f"no dataset of kind {kinds}{f' with the role {role}' if role else ''} is declared"


def _planned(spec: RuleSpec, name: str, skip: str | None = None) -> PlannedRule:
    return PlannedRule(id=name, check=spec.check, severity=spec.severity, why=spec.why, skip=skip)


def _narrow(rule: PlannedRule, selection: Selection) -> PlannedRule:
    wanted = not selection.select or any(_names(word, rule) for word in selection.select)
    if wanted and not any(_names(word, rule) for word in selection.skip):
        return rule
    return msgspec.structs.replace(rule, asks=None, skip="not selected")


def _names(word: str, rule: PlannedRule) -> bool:
    """A word names a rule by its id, with or without its dataset, by its check, or by its family."""
    return word in {rule.id, rule.id.partition("[")[0], rule.check, rule.check.partition(".")[0]}


def _all_words_known(rules: Sequence[PlannedRule], selection: Selection) -> None:
    for word in (*selection.select, *selection.skip):
        if not any(_names(word, rule) for rule in rules):
            raise UsageError(f"no rule, check or family is called {word!r}", hint=nearest(word, {rule.id for rule in rules}))
