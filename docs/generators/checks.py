"""docs/checks/: a page for each built-in check, as `audit explain` shows it, and an index of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from audit.catalog import built_in, summary
from audit.config.merge import merge
from audit.config.packs import layers, shipped
from audit.config.page import markdown

INDEX = """\
# Checks

A check holds one thing to be true. A [rule](../rules.md) says on what, with which
parameters, when, and how much a violation weighs; the [packs](../packs.md) have the rules
that most projects want. In a terminal, `audit checks` lists the checks, and
`audit explain CHECK` shows the page of one.
"""


def pages(_: Path) -> dict[str, bytes]:
    """The index, and the page of each check."""
    made = {f"docs/checks/{name}.md": page(name).encode() for name in built_in()}
    return made | {"docs/checks/index.md": "\n".join([INDEX, *index()]).encode()}


def index() -> Iterator[str]:
    """The checks of each family, with what each holds true."""
    for family, names in groupby(sorted(built_in()), key=lambda name: name.partition(".")[0]):
        yield f"## {family}\n\n| check | holds true |\n| --- | --- |"
        yield from (f"| [{name}]({name}.md) | {summary(name)} |" for name in names)
        yield ""


def page(name: str) -> str:
    """The page of a check, and where the packs use it."""
    used = [f"| `{pack}` | `{rule}` | {why} |" for pack, rule, why in uses(name)]
    if not used:
        return markdown(name)
    table = "\n".join(["| pack | rule | why |", "| --- | --- | --- |", *used])
    return f"{markdown(name)}\n## In the packs\n\n{table}\n"


def uses(name: str) -> Iterator[tuple[str, str, str]]:
    """The rules of packs that run the check: pack, rule and reason."""
    for pack, file in shipped().items():
        stack = layers(file, f"pack {pack}")
        own = {entry.id for entry in stack[-1].content.rules}
        for rule in merge(stack):
            if rule.id.value in own and rule.get("check") == name:
                yield pack, rule.id.value, rule.get("why")
