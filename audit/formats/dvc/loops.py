"""`foreach` and `matrix` in `dvc.yaml`: many stages out of one.

Source: `ForeachDefinition` and `MatrixDefinition` in `dvc/parsing/__init__.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats.dvc.interpolation import Resolver, Selected, check, spelled

MAX_TURNS = 10_000
"""Stages out of one."""


JOIN = "@"


class Turn(NamedTuple):
    """One turn of a loop: what its name adds to the stage's, and the variables `item` and `key`."""

    suffix: str
    variables: dict[str, Any]


ONCE = Turn("", {})
"""A stage without a loop."""


def foreach(data: Any, resolver: Resolver) -> list[Turn]:
    """The turns of a `foreach` over a list or a mapping; a name that comes twice counts once, with its last value."""
    check(data)
    selected = resolver.selected(data) if isinstance(data, str) else None
    data = selected.value if selected else data
    if isinstance(data, dict):
        pairs = data.items() if selected else resolver.resolve(data, None).items()
        named = {spelled(key, resolver.arguments): value for key, value in pairs}
        turns = [Turn(JOIN + name, {"item": value, "key": name}) for name, value in named.items()]
    elif isinstance(data, list):
        turns = _over_list([Selected(item) for item in data] if selected else _items(data, resolver), resolver)
    else:
        raise FormatError("foreach wants a list or a mapping")
    return _bounded(turns, len(turns))


def _over_list(items: list[Any], resolver: Resolver) -> list[Turn]:
    values = [_value(item) for item in items]
    if any(isinstance(value, list | dict) for value in values):
        return [Turn(f"{JOIN}{at}", {"item": value}) for at, value in enumerate(values)]
    named = dict(zip((_name(item, resolver) for item in items), values, strict=True))
    return [Turn(JOIN + name, {"item": value}) for name, value in named.items()]


def matrix(data: dict[str, Any], resolver: Resolver) -> list[Turn]:
    """The turns of a `matrix`: one for each combination."""
    check(data)
    axes = {str(resolver.resolve(name, None)): _axis(values, resolver) for name, values in data.items()}
    _bounded([], math.prod(map(len, axes.values())))
    named = {}
    for combination in product(*(enumerate(items) for items in axes.values())):
        parts = [_part(axis, at, item, resolver) for axis, (at, item) in zip(axes, combination, strict=True)]
        named["-".join(parts)] = {axis: _value(item) for axis, (_, item) in zip(axes, combination, strict=True)}
    return _bounded([Turn(JOIN + name, {"item": values, "key": name}) for name, values in named.items()], len(named))


def _axis(values: Any, resolver: Resolver) -> list[Any]:
    """The items of an axis; of a mapping its names."""
    if isinstance(values, str):
        selected = resolver.selected(values)
        if selected is None or not isinstance(selected.value, list | dict):
            raise FormatError("each axis of a matrix wants a list")
        return [Selected(item) for item in selected.value]
    return _items(values, resolver)


def _part(axis: str, at: int, item: Any, resolver: Resolver) -> str:
    return f"{axis}{at}" if isinstance(_value(item), list | dict) else _name(item, resolver)


def _items(items: list[Any], resolver: Resolver) -> list[Any]:
    """Resolve the items, those that are one expression marked as `Selected`."""
    return list(_resolved(items, resolver))


def _resolved(items: list[Any], resolver: Resolver) -> Iterator[Any]:
    for item in items:
        selected = resolver.selected(item) if isinstance(item, str) else None
        yield selected or resolver.resolve(item, None)


def _value(item: Any) -> Any:
    return item.value if isinstance(item, Selected) else item


def _name(item: Any, resolver: Resolver) -> str:
    """Spell an item as a name: `True` if it came out of a variable, `true` if it was written out, as DVC does."""
    return str(item.value) if isinstance(item, Selected) else spelled(item, resolver.arguments)


def _bounded(turns: list[Turn], count: int) -> list[Turn]:
    if count > MAX_TURNS:
        raise FormatError(f"more than {MAX_TURNS} stages out of one")
    if any(turn.suffix == JOIN for turn in turns):
        raise FormatError("an item is an empty text, of which DVC makes no stage", hint="give it a name")
    return turns
