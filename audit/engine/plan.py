"""The plan: rules spread over datasets, each to run or with the reason why it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import msgspec

from audit.config.load import Config
from audit.config.rules import RuleSpec
from audit.errors import UsageError
from audit.records.dataset import Dataset
from audit.records.parameters import FILLED_IN, PROFILE
from audit.records.project import PlannedRule, Project
from audit.records.report import Selection
from audit.records.text import nearest
from audit.records.words import Trigger


def plan(
    config: Config,
    trigger: Trigger,
    selection: Selection,
    *,
    profile: bool | None = None,
    command: tuple[str, ...] = (),
) -> Project:
    """The project with its planned rules. Raises `UsageError` for a selection that names no rule.

    `profile` says whether rules that can write a profile do; None leaves it to them. `command` is what the launch gate
    would start.
    """
    rules = [planned for spec in config.rules for planned in _planned(config, spec, trigger)]
    _all_words_known(rules, selection)
    return Project(
        root=str(config.root),
        name=config.name,
        trigger=trigger,
        datasets=config.datasets,
        environment=msgspec.structs.replace(config.environment, command=command),
        rules=tuple(_profiling(_narrow(rule, selection), trigger, wanted=profile) for rule in rules),
    )


def _planned(config: Config, spec: RuleSpec, trigger: Trigger) -> Iterator[PlannedRule]:
    """A rule that runs, once for each choice of the datasets that it leaves open; or once, with the reason not to."""
    rule = PlannedRule(id=spec.id, check=spec.check, severity=spec.severity, why=spec.why)
    choices = [_candidates(config, spec, name) for name in spec.left_open]
    alike = [some for some in product(*choices) if len({dataset.kind for dataset in some}) <= 1]
    if reason := _idle(spec, trigger) or _lacking(spec, choices) or ("" if alike else _unlike(spec)):
        yield msgspec.structs.replace(rule, skip=reason)
        return
    for some in alike:
        names = [dataset.name for dataset in some]
        tail = f"[{'/'.join(names)}]" if names else ""
        asks = spec.asks(dict(zip(spec.left_open, names, strict=True)))
        yield msgspec.structs.replace(rule, id=spec.id + tail, asks=asks)


def _candidates(config: Config, spec: RuleSpec, parameter: str) -> Sequence[Dataset]:
    role, accepts = FILLED_IN[parameter], spec.kind.accepts
    return [
        dataset
        for dataset in config.datasets
        if (not accepts or dataset.kind in accepts) and (role is None or dataset.role is role)
    ]


def _idle(spec: RuleSpec, trigger: Trigger) -> str:
    if not spec.enabled:
        return "switched off (enabled: false)"
    return "" if trigger in spec.on else f"runs on {', '.join(spec.on)}"


def _lacking(spec: RuleSpec, choices: Sequence[Sequence[Dataset]]) -> str:
    for parameter, found in zip(spec.left_open, choices, strict=True):
        if not found:
            role = FILLED_IN[parameter]
            kinds = f"of kind {' or '.join(sorted(spec.kind.accepts))} " if spec.kind.accepts else ""
            return f"no dataset {kinds}{f'with the role {role} ' if role else ''}is declared"
    return ""


def _unlike(spec: RuleSpec) -> str:
    return f"no datasets of one kind for {' and '.join(spec.left_open)} are declared"


def _narrow(rule: PlannedRule, selection: Selection) -> PlannedRule:
    wanted = not selection.select or any(_names(word, rule) for word in selection.select)
    if wanted and not any(_names(word, rule) for word in selection.skip):
        return rule
    return msgspec.structs.replace(rule, asks=None, skip="not selected")


def _profiling(rule: PlannedRule, trigger: Trigger, *, wanted: bool | None) -> PlannedRule:
    """A profile is for whoever opens the report's folder: a commit writes none unless it is asked for."""
    said = getattr(rule.asks, PROFILE, None)
    if rule.asks is None or said is None:
        return rule
    written = (said and trigger is not Trigger.COMMIT) if wanted is None else wanted
    return msgspec.structs.replace(rule, asks=msgspec.structs.replace(rule.asks, **{PROFILE: written}))


def words(rule: PlannedRule) -> tuple[str, ...]:
    """What a selection can call a rule: its id, with and without its dataset, its check, and its family."""
    return rule.id, rule.id.partition("[")[0], rule.check, rule.check.partition(".")[0]


def _names(word: str, rule: PlannedRule) -> bool:
    """A rule that is idle stands for all that it would be spread into."""
    return word in words(rule) or (rule.asks is None and word.partition("[")[0] == rule.id)


def _all_words_known(rules: Sequence[PlannedRule], selection: Selection) -> None:
    for word in (*selection.select, *selection.skip):
        if not any(_names(word, rule) for rule in rules):
            known = {said for rule in rules for said in words(rule)}
            raise UsageError(f"no rule, check or family is called {word!r}", hint=nearest(word, known))
