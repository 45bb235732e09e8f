"""Values held against shapes, strictly; what does not fit is named by its path.

msgspec converts, fast. Its messages call every key of a mapping `[...]`, so when it
objects, the value is searched from the outside in for the innermost part that it
objects to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias, TypeVar

import msgspec

from audit.records.hints import Hint, choices, entry_of, item_of, members, notes
from audit.records.text import guess, nearest

T = TypeVar("T")
Path: TypeAlias = tuple[str | int, ...]

_QUOTED = re.compile(r"`([^`]*)`")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_PLAIN = re.compile(r"[\w-]+", re.ASCII)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_NOTHING = object()
_LONG = 60  # characters of a wrong word that a message repeats


class MisfitError(Exception):
    """The innermost part of a value that does not fit its shape, by the path to it."""

    def __init__(self, path: Path, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.path = path
        self.what = what
        self.hint = hint


def fit(value: Any, shape: type[T]) -> T:
    """The value as the shape; nothing is coerced. Raises `MisfitError`."""
    try:
        return msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError:
        raise _search(value, shape, ()) from None


def dotted(path: Path) -> str:
    """A path in words: `rules[0].with`; a key with odd characters is quoted."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{_key(step)}" for step in path).removeprefix(".")


def _key(step: str) -> str:
    return step if _PLAIN.fullmatch(step) else _short(step)


def _short(word: Any) -> str:
    return repr(word if len(str(word)) <= _LONG else f"{str(word)[:_LONG]}...")


def _search(value: Any, shape: Hint, path: Path) -> MisfitError:
    for step, part, hint in _parts(value, shape):
        if hint is _NOTHING:
            return MisfitError((*path, step), "unknown key", nearest(str(step), _fields(shape) or ()))
        if _objection(part, hint):
            return _search(part, hint, (*path, step))
    return MisfitError(path, *_in_words(value, shape))


def _parts(value: Any, shape: Hint) -> Iterator[tuple[str | int, Any, Hint]]:
    """The parts of a value in their order, each with what it should be; a key that should not be should be nothing."""
    if isinstance(value, list):
        item = item_of(shape)
        yield from ((index, part, item) for index, part in enumerate(value) if item is not None)
    elif isinstance(value, dict) and (fields := _fields(shape)) is not None:
        yield from ((key, part, fields.get(key, _NOTHING)) for key, part in value.items())
    elif isinstance(value, dict) and (entry := entry_of(shape)):
        for key, part in value.items():
            yield from ((key, key, entry[0]), (key, part, entry[1]))


def _fields(shape: Hint) -> dict[str, Hint] | None:
    """The keys of the record that a hint allows, and what each should be; None if it allows none."""
    for member in members(shape):
        if isinstance(member, type) and issubclass(member, msgspec.Struct):
            return {field.encode_name: field.type for field in msgspec.structs.fields(member)}
    return None


def _objection(value: Any, shape: Hint) -> str:
    try:
        msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _in_words(value: Any, shape: Hint) -> tuple[str, str]:
    """What is wrong with a value whose parts are all as they should be, and the nearest right word."""
    text = _objection(value, shape)
    if isinstance(value, dict) and (missing := _MISSING.fullmatch(text)):
        return f"the key {missing[1]!r} is missing", ""
    if any(type(value) is type(choice) for choice in choices(shape)):
        options = [str(choice) for choice in choices(shape)]
        return f"{_short(value)} is none of {', '.join(options)}", guess(str(value), options)
    form = next((note.extra["form"] for note in notes(shape) if note.extra and "form" in note.extra), None)
    if form and isinstance(value, str):
        return f"{_short(value)} is not {form}", ""
    return _QUOTED.sub(_word, text[:1].lower() + text[1:]), _listed(value, shape)


def _listed(value: Any, shape: Hint) -> str:
    """How to write one word where a list is expected."""
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and len(value) <= _LONG
    return f"write [{value}]" if plain and item_of(shape) is not None and not _objection([value], shape) else ""


def _word(quoted: re.Match[str]) -> str:
    names = quoted[1].split(" | ")
    *some, last = (_WORDS.get(name, name) for name in names if name != "int" or "float" not in names)
    return f"{', '.join(some)} or {last}" if some else last
