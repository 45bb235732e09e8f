"""`audit run`: hold an audit, show it, write it down, and end with its exit code."""

from __future__ import annotations

import shlex
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audit.cli._options import format_option, project_option, select_option, skip_option, trigger_option
from audit.cli._show import hush
from audit.errors import Exit
from audit.records.words import FailOn, Trigger

if TYPE_CHECKING:
    from audit.api import Finished, Settings
    from audit.publish import Published


LINE = "audit.command_line"
"""Under which the words behind `--` are kept."""


def _day(_: click.Context, __: click.Parameter, value: str | None) -> date | None:
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise click.BadParameter(f"{value!r} is no date; write YYYY-MM-DD") from None


class Launching(click.Command):
    """A command whose words end at the first `--`; what follows is another program's, to the letter."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the program's words aside."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[LINE] = args[at + 1 :]
        if args[at:] == ["--"]:
            raise click.UsageError("no command stands behind --", ctx)
        return super().parse_args(ctx, args[:at])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """What the usage line says."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


@click.command(cls=Launching)
@project_option
@trigger_option
@select_option
@skip_option
@click.option(
    "--fail-on",
    type=click.Choice([str(one) for one in FailOn]),
    help="The least severity that fails.  [default: error]",
)
@click.option("--deep/--no-deep", default=None, help="Read everything, trust no remembered digest (nightly does).")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Workers.  [default: the processors]")
@click.option("--as-of", callback=_day, metavar="DATE", help="The day to judge waivers by.  [default: today, UTC]")
@click.option(
    "--profile/--no-profile",
    default=None,
    help="Write profiles of tables beside the report.  [default: as the rules say]",
)
@format_option
@click.option("--output", metavar="DIR", help="Where report folders go.  [default: reports/ of the project]")
@click.option("--mlflow", default="auto", metavar="auto|off|URI", show_default=True, help="Where to log the audit.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, and nothing but the report.")
@click.pass_context
def command(ctx: click.Context, /, **words: Any) -> int:
    """Audit the project: say whether all is as recorded.

    Exit codes: 0 nothing at or above --fail-on; 1 the verdict is fail; 2 wrong usage or
    configuration, nothing was audited; 3 something could not be looked at; 130 interrupted.

    With a COMMAND after --, audit is replaced by it when the verdict is pass, and never
    starts it otherwise.
    """
    from audit.api import hold
    from audit.cli._launch import found, launch
    from audit.cli._progress import Display
    from audit.config.load import project_root
    from audit.engine.audit import exit_code
    from audit.publish import Published

    line: list[str] = ctx.meta[LINE]
    _sensible(words, line)
    program = found(line[0]) if line else ""
    root = project_root(words["project"])
    with Display(shown=not words["quiet"]) as display:
        finished = hold(root, _settings(words, tuple(line)), display.watch)
    code = exit_code(finished.report)
    try:
        published = _written(finished, root, words)
    except KeyboardInterrupt:  # the verdict stands; only what becomes of it is cut short
        published, code = Published(None, ("interrupted while the report was written",)), Exit.INTERRUPTED
    _show_if_possible(finished, published, words)
    try:
        _warn(_sent(finished, published, root, words))
    except KeyboardInterrupt:
        _warn(("interrupted while the report was sent",))
        code = Exit.INTERRUPTED
    if line and code is Exit.OK and finished.report.verdict == "pass":
        launch(program, line)
    if line:
        click.echo(f"audit: {shlex.join(line)} was not started: the verdict is {finished.report.verdict}", err=True)
        return code or Exit.FAIL  # a launcher must not take it for a success, whatever `fail_on` says
    return code


def _sensible(words: dict[str, Any], line: list[str]) -> None:
    """What cannot be meant is told before anything is audited, not after."""
    if line and (words["select"] or words["skip"]):
        raise click.UsageError("a part of the rules never starts a command: leave out --select and --skip, or --")
    if line and words["fail_on"] == FailOn.NEVER:
        raise click.UsageError("--fail-on never, and yet a command that a fail would hold back: leave out one of them")
    if words["profile"] and words["on"] == Trigger.COMMIT and not words["output"]:
        raise click.UsageError("a commit writes no files beside which a profile could lie: add --output DIR")
    if words["mlflow"] not in {"auto", "off"}:
        from audit.mlflow.destination import understood

        understood(words["mlflow"])


def _settings(words: dict[str, Any], line: tuple[str, ...]) -> Settings:
    from audit.api import Settings
    from audit.records.report import Selection

    return Settings(
        on=Trigger(words["on"]),
        selection=Selection(select=words["select"], skip=words["skip"]),
        fail_on=FailOn(words["fail_on"]) if words["fail_on"] else None,
        deep=words["deep"],
        jobs=words["jobs"],
        as_of=words["as_of"],
        profile=words["profile"],
        command=line,
    )


def _written(finished: Finished, root: Path, words: dict[str, Any]) -> Published:
    """A commit is answered on the console alone, unless a folder or a server is asked for."""
    from audit.publish import Published, publish

    if words["on"] == Trigger.COMMIT and not words["output"] and words["mlflow"] in {"auto", "off"}:
        return Published(None, ())
    return publish(finished.report, root, Path(words["output"]) if words["output"] else None, finished.attachments)


def _sent(finished: Finished, published: Published, root: Path, words: dict[str, Any]) -> tuple[str, ...]:
    """Nobody waits for a server without knowing; an audit that was interrupted is not logged."""
    from audit.cli._progress import waiting
    from audit.publish import send

    if finished.report.envelope.interrupted:
        return ()
    with waiting("logging to MLflow ...", shown=not words["quiet"]):
        return send(finished.report, published.folder, mlflow=words["mlflow"], root=root)


def _show_if_possible(finished: Finished, published: Published, words: dict[str, Any]) -> None:
    """The exit code tells the verdict, whoever reads along: a pipe may be closed, a disk full."""
    try:
        _show(finished, published, words)
    except OSError as error:
        hush()
        if not isinstance(error, BrokenPipeError):
            click.echo(f"audit: warning: the verdict cannot be shown: {error.strerror}", err=True)


def _warn(warnings: tuple[str, ...]) -> None:
    from audit.records.text import plain

    for warning in warnings:
        click.echo(f"audit: warning: {plain(warning)}", err=True)


def _show(finished: Finished, published: Published, words: dict[str, Any]) -> None:
    from audit.cli import _bug
    from audit.cli._colour import wants_colour
    from audit.sinks import json, text

    page = str(published.folder / "report.html") if published.folder else ""
    if words["form"] == "json":
        sys.stdout.buffer.write(json.render(finished.report))
        sys.stdout.flush()
    else:
        style = text.Style(colour=wants_colour())
        click.echo(text.render(finished.report, style, page=page), nl=False)
    _warn((*finished.warnings, *published.warnings))
    for trace in finished.traces:
        click.echo(f"audit: a fault in audit itself, see {_bug.write(trace)}", err=True)
