"""Waivers of `audit.yaml`, held against the calendar and against what they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from audit.config.packs import Layer
from audit.config.shapes import Path
from audit.config.source import Source
from audit.records.text import nearest

_NAMED = re.compile(r"([^\[\]]*)(?:\[([^\[\]]*)\])?")


def waivers_fit(own: Layer, rules: Iterable[str], datasets: Iterable[str]) -> None:
    """Every waiver names a rule that there is, and a day that there is. Raises `ConfigError`."""
    known, spread = set(rules), set(datasets)
    for index, waiver in enumerate(own.content.waivers):
        place = ("waivers", index)
        _rule_exists(own.source, (*place, "rule"), waiver.rule, known, spread)
        _day_exists(own.source, (*place, "expires"), waiver.expires)


def _rule_exists(source: Source, path: Path, said: str, rules: set[str], datasets: set[str]) -> None:
    """A rule by its id, or one of the results of a rule that is spread: `id[dataset]`, `id[reference/current]`."""
    named = _NAMED.fullmatch(said)
    if not named or named[1] not in rules:
        raise source.fault(path, f"no rule is called {said!r}", nearest(named[1] if named else said, rules))
    for name in (named[2] or "").split("/") if named[2] is not None else ():
        if name not in datasets:
            raise source.fault(path, f"no dataset is called {name!r}", nearest(name, datasets))


def _day_exists(source: Source, path: Path, day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError:
        raise source.fault(path, f"{day!r} is no day of the calendar") from None
