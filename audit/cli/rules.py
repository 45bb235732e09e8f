"""`audit rules`: the plan, without looking at anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from audit.cli._options import format_option, project_option, select_option, skip_option, trigger_option
from audit.records.words import Trigger

if TYPE_CHECKING:
    from audit.records.project import PlannedRule, Project


@click.command()
@project_option
@trigger_option
@select_option
@skip_option
@format_option
def command(project: str, on: str, select: tuple[str, ...], skip: tuple[str, ...], form: str) -> None:
    """Show the plan: what would run, on what, and why not.

    Nothing of the project is read but audit.yaml and the files that it extends.
    """
    from audit.cli._show import show_json, show_lists
    from audit.config.load import load_config, project_root
    from audit.engine.plan import plan
    from audit.records.report import Selection

    made = plan(load_config(project_root(project)), Trigger(on), Selection(select=select, skip=skip))
    if form == "json":
        rules = [_described(made, rule) for rule in made.rules]
        show_json({"project": made.name, "trigger": made.trigger, "rules": rules})
        return
    runs = [(rule.id, _told(made, rule)) for rule in made.rules if rule.asks]
    rests = [(rule.id, f"{rule.check}: {_reason(rule)}") for rule in made.rules if not rule.asks]
    title = f"{made.name} on {made.trigger}: {len(runs)} of {len(made.rules)} rules run"
    show_lists([(title, runs), ("do not run" if runs else f"{title}; they do not", rests)])


def _told(project: Project, rule: PlannedRule) -> str:
    on = ", ".join(f"{name} ({project.dataset(name).path})" for name in _datasets(rule))
    return f"{rule.check} on {on}" if on else rule.check


def _datasets(rule: PlannedRule) -> list[str]:
    """The datasets that a rule runs on, as far as its parameters name them."""
    from audit.records.parameters import dataset_parameters

    if rule.asks is None:
        return []
    said = [getattr(rule.asks, parameter) for parameter in dataset_parameters(type(rule.asks))]
    return [name for value in said for name in ([value] if isinstance(value, str) else value or ())]


def _reason(rule: PlannedRule) -> str:
    return rule.skip or rule.error or ""


def _described(project: Project, rule: PlannedRule) -> dict[str, Any]:
    import msgspec

    return {
        "rule": rule.id,
        "check": rule.check,
        "severity": rule.severity,
        "why": rule.why,
        "runs": rule.asks is not None,
        "reason": _reason(rule) or None,
        "datasets": [{"name": name, "path": project.dataset(name).path} for name in _datasets(rule)],
        "parameters": msgspec.to_builtins(rule.asks, order="deterministic"),
    }
