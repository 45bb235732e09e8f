"""Options that several commands share, and how a shell completes their words."""

from __future__ import annotations

from collections.abc import Iterable

import click

from audit.records.words import Trigger


def _check_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The checks whose names begin so; none if a plugin is broken, which a prompt is no place to tell."""
    from audit.catalog import checks
    from audit.errors import AuditError

    try:
        return _beginning(checks(), begun)
    except AuditError:
        return []


def section_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The sections of `audit.lock` whose names begin so."""
    from audit.catalog import sections

    return _beginning(sections(), begun)


def _selectable(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """What the rules of the project can be selected by; nothing where there is no project, or a broken one."""
    from audit.config.load import load_config, project_root
    from audit.engine.plan import plan, words
    from audit.errors import AuditError
    from audit.records.report import Selection

    try:
        config = load_config(project_root(ctx.params.get("project") or "."))
        rules = plan(config, Trigger(ctx.params.get("on") or Trigger.LAUNCH), Selection()).rules
    except (AuditError, OSError, ValueError):
        return []
    return _beginning({word for rule in rules for word in words(rule)}, begun)


def _beginning(known: Iterable[str], begun: str) -> list[str]:
    return sorted(word for word in known if word.startswith(begun))


check_argument = click.argument("check", shell_complete=_check_names)
project_option = click.option(
    "-C",
    "project",
    metavar="DIR",
    default=".",
    type=click.Path(file_okay=False),
    help="The project's folder (here, if left out).",
)
trigger_option = click.option(
    "--on",
    type=click.Choice([str(one) for one in Trigger]),
    default="launch",
    show_default=True,
    help="What makes it run.",
)
select_option = click.option(
    "--select",
    multiple=True,
    metavar="ID",
    shell_complete=_selectable,
    help="Only this rule, check or family; repeatable.",
)
skip_option = click.option(
    "--skip",
    multiple=True,
    metavar="ID",
    shell_complete=_selectable,
    help="Without this rule, check or family; repeatable.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people or programs.",
)
