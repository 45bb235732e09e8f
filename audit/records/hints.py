"""What a type hint says of the values it takes: its members, its fixed choices, and how to call them in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Meta, UnsetType

Hint: TypeAlias = Any
"""A type as an annotation spells it; Python has no type for that."""

_SIMPLE: Mapping[Hint, str] = {
    NoneType: "nothing",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Any: "anything",
}
_LISTS = (list, tuple, set, frozenset, Sequence, AbstractSet)
_MAPPINGS = (dict, Mapping)


def origin(hint: Hint) -> Any:
    """What a hint with brackets is of: `dict` for `dict[str, int]`; None if it has none."""
    return get_origin(hint)


def members(hint: Hint) -> Iterator[Hint]:
    """The plain types that a hint is made of: unions taken apart, annotations taken off."""
    if origin(hint) is Annotated:
        yield from members(get_args(hint)[0])
    elif origin(hint) in {Union, UnionType}:
        for member in get_args(hint):
            yield from members(member)
    elif hint is not UnsetType:
        yield hint


def notes(hint: Hint) -> Iterator[Meta]:
    """The notes on a hint or on a member of it, the outermost first; not those on what a list or mapping holds."""
    if origin(hint) is Annotated:
        inner, *said = get_args(hint)
        yield from (note for note in reversed(said) if isinstance(note, Meta))
        yield from notes(inner)
    elif origin(hint) in {Union, UnionType}:
        for member in get_args(hint):
            yield from notes(member)


def choices(hint: Hint) -> list[Any]:
    """The fixed values that a hint allows, if it is made of such."""
    found: list[Any] = []
    for member in members(hint):
        if origin(member) is Literal:
            found += get_args(member)
        elif isinstance(member, type) and issubclass(member, Enum):
            found += [item.value for item in member]
    return found


def item_of(hint: Hint) -> Hint | None:
    """What each item of a list of that hint is; None if it is no list, or its items differ by their place."""
    for member in members(hint):
        if origin(member) in _LISTS:
            item, *more = get_args(member)
            return item if more in ([], [...]) else None
    return None


def entry_of(hint: Hint) -> tuple[Hint, Hint] | None:
    """The keys and values that a mapping of that hint holds; None if it is none, or says nothing of them."""
    return next((get_args(member) for member in members(hint) if origin(member) in _MAPPINGS), None)


def words(hint: Hint, *, nothing: bool = True) -> str:
    """The hint in words: `tuple[int, ...] | None` is "a list (a whole number) or nothing", if nothing is to be told."""
    options = ", ".join(map(str, choices(hint)))
    said = [f"one of {options}"] if options else []
    said += [_named(member) for member in members(hint) if not choices(member) and (nothing or member is not NoneType)]
    last = said.pop() if len(said) > 1 else ""
    return f"{', '.join(said)} or {last}" if last else "".join(said)


def _named(member: Hint) -> str:
    if member in _SIMPLE:
        return _SIMPLE[member]
    if (item := item_of(member)) is not None:
        return f"a list ({words(item)})"
    if entry := entry_of(member):
        return f"a mapping ({words(entry[0])}: {words(entry[1])})"
    return "a mapping" if isinstance(member, type) else str(member)
