"""`audit completion SHELL`: the script that lets a shell complete audit's words."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that lets a shell complete.

    It completes commands, options, checks and rules.

    In ~/.bashrc: eval "$(audit completion bash)"

    In ~/.zshrc: eval "$(audit completion zsh)"

    In ~/.config/fish/config.fish: audit completion fish | source
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root().command
    if script := get_completion_class(shell):
        click.echo(script(root, {}, "audit", "_AUDIT_COMPLETE").source())
