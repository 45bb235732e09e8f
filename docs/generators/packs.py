"""docs/packs.md: every shipped pack with its rules, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from audit.config.merge import MergedRule, merge
from audit.config.packs import layers, shipped
from audit.config.rules import DEFAULT_TRIGGERS
from audit.records.words import Severity

PAGE = "docs/packs.md"
HEAD = """\
# Packs

A pack is a file of rules that come with audit. `extends: [core]` takes all of them; a rule
of your own with the same id changes theirs field by field, and `enabled: false` switches
one off, which stays visible as `skip`.

```yaml
version: 1
extends: [core, speech]
rules:
  - id: dvc-remote
    on: [launch, nightly]   # the pack asks the remote every night; this project before each launch too
  - id: git-pushed
    enabled: false
```

Each pack but `core` extends `core`. Packs run only on what is there: a rule for DVC is
`skip` where nothing is under DVC.
"""


def pages(_: Path) -> dict[str, bytes]:
    """The one page."""
    parts = (line for name in ("core", *sorted(shipped().keys() - {"core"})) for line in pack(name))
    return {PAGE: "\n".join([HEAD, *parts]).encode()}


def pack(name: str) -> Iterator[str]:
    """A pack as a section: what its file says of itself, then the rules that it brings or changes."""
    file = shipped()[name]
    stack = layers(file, f"pack {name}")
    own = stack[-1].content
    merged = {rule.id.value: rule for rule in merge(stack)}
    yield f"## {name}"
    yield ""
    yield file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    if own.fail_on:
        yield f"\nIt sets `fail_on: {own.fail_on}`."
    yield "\n| rule | check | runs on | at most | why |\n| --- | --- | --- | --- | --- |"
    yield from (row(merged[entry.id]) for entry in own.rules)
    yield ""


def row(rule: MergedRule) -> str:
    """A rule as a line of the table."""
    check = rule.get("check")
    cells = (
        f"`{rule.id.value}`{said(rule.values())}",
        f"[{check}](checks/{check}.md)",
        ", ".join(rule.get("on", DEFAULT_TRIGGERS)),
        str(rule.get("severity", Severity.ERROR)),
        rule.get("why"),
    )
    return f"| {' | '.join(cells)} |"


def said(parameters: dict[str, Any]) -> str:
    """The parameters that a rule sets."""
    return "".join(f"<br>`{name}: {msgspec.json.encode(value).decode()}`" for name, value in parameters.items())
