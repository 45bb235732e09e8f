"""`audit schema`: what may stand in a rule file, for editors."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Print the JSON Schema of rule files.

    It includes the parameters of every check. An editor completes and checks audit.yaml
    with it: write it to a file, and put `# yaml-language-server: $schema=FILE` on the
    first line of audit.yaml.
    """
    from audit.catalog import checks
    from audit.cli._show import show_json
    from audit.config.schema import schema

    show_json(schema(checks()))
