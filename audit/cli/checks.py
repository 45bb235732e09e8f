"""`audit checks`: every check there is."""

from __future__ import annotations

from itertools import groupby

import click

from audit.cli._options import format_option


@click.command()
@format_option
def command(form: str) -> None:
    """List the checks, by family.

    `audit explain CHECK` tells more of one.
    """
    from audit.catalog import checks, summary
    from audit.cli._show import show_json, show_lists

    names = sorted(checks())
    if form == "json":
        show_json([_described(name) for name in names])
        return
    families = groupby(names, key=lambda name: name.partition(".")[0])
    show_lists([(family, [(name, summary(name)) for name in members]) for family, members in families])


def _described(name: str) -> dict[str, object]:
    from audit.catalog import load_check, summary
    from audit.records.parameters import parameters

    check = load_check(name)
    return {
        "check": name,
        "summary": summary(name),
        "accepts": sorted(check.accepts),
        "parameters": [parameter._asdict() for parameter in parameters(check)],
    }
