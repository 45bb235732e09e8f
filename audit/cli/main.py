"""The command `audit`: finds its commands by their files, and is the last boundary for errors."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from audit import __version__
from audit.errors import AuditError, Exit


class Commands(click.Group):
    """Each file beside this one that does not begin with an underscore is a command; loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The commands, in alphabetical order."""
        files = sorted(Path(__file__).parent.glob("[a-z]*.py"))
        return [file.stem.replace("_", "-") for file in files if file.stem != "main"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"audit.cli.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; an unknown one is told with the nearest right word."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from audit.records.text import nearest

            raise click.UsageError(f"no command {args[0]!r} ({nearest(args[0], self.list_commands(ctx))})", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="audit %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Say whether what we are about to train on, and with, is exactly what we recorded.

    audit runs the rules of audit.yaml over a project and gives a verdict that can be
    believed: nothing passes because nobody looked.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(Exit.USAGE)


def main() -> NoReturn:
    """Run, and turn every way to end into an exit code and at most one line."""
    if sys.getfilesystemencoding() != "utf-8":
        _begin_again_in_utf8()
    _end_as_if_interrupted()
    gc.disable()  # an audit makes records by the million and hardly a circle, and then it ends
    _end(_guarded(sys.argv[1:]))


def _end_as_if_interrupted() -> None:
    """A scheduler that ends an audit, or a terminal that goes, is a Ctrl-C: nothing is left behind, and it is told."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is signal.SIG_DFL:  # nohup(1) has the latter ignored
            signal.signal(ending, signal.default_int_handler)


def _end(code: int) -> NoReturn:
    """End at once: the memory of a million records is given back as a whole, and no thread is waited for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _begin_again_in_utf8() -> NoReturn:
    """File names are UTF-8 to DVC, Git and listings; under an old locale Python would take them for something else."""
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - this very program


def _guarded(words: list[str]) -> int:
    """The third of the three boundaries: a user's error is one line, a bug is a log."""
    try:
        return int(app(words, prog_name="audit", standalone_mode=False) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.ClickException, AuditError) as error:
        return _complain(*_told(error))
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", Exit.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the boundary of the program
        from audit.cli._bug import logged

        return _complain(logged(error), Exit.BUG)


def _told(error: click.ClickException | AuditError) -> tuple[str, Exit]:
    """What is wrong; after what click says also where to read on, unless it names the right word itself."""
    if isinstance(error, AuditError):
        return str(error), error.exit
    text, ctx = error.format_message(), getattr(error, "ctx", None)
    more = f" (see `{ctx.command_path} --help`)" if ctx and "id you mean" not in text else ""
    return text + more, Exit.USAGE


def _complain(text: str, code: Exit) -> int:
    """One line, whatever a file's name or a library's message has in it."""
    from audit.records.text import plain

    click.echo(f"audit: {plain(' '.join(text.splitlines()))}", err=True)
    return code


if __name__ == "__main__":
    main()
