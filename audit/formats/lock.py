"""`audit.lock`: the committed record of what is, as JSON that reads well in a diff.

One object with `"schema": "reproaudit/lock/1"` and one member a section (`data`,
`profiles`, `environment`), each plain JSON of its own. Keys are sorted; an object or
array that holds no other stands on one line if it is short, so that a file of a
dataset is a line of the lock. Fields are added, never renamed, within a version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from audit.errors import FormatError

FILE = "audit.lock"
SCHEMA = "reproaudit/lock/1"
LIMIT = 1 << 30
"""Bytes of one lock, some five million files."""

_LINE = 240
_readable = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
_escaped = json.JSONEncoder(ensure_ascii=True, allow_nan=False, sort_keys=True).encode
_SCHEMA = re.compile(r"reproaudit/lock/(\d{1,9})")
_CONFLICT = re.compile(rb"^(<{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)
"""What Git writes around both sides: https://git-scm.com/docs/git-merge#_how_conflicts_are_presented"""
_AGAIN = "settle a merge with either side, or bring it back from git; then run `audit lock`"


def parse(data: bytes) -> dict[str, Any]:
    """The sections of a lock, by name. Raises `FormatError` that says what to do."""
    try:
        value = json.loads(data, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        marker = _CONFLICT.search(data)
        line = data.count(b"\n", 0, marker.start()) + 1 if marker else 0
        what = (
            f"has merge conflicts ({marker[0].decode()} on line {line:,})"
            if marker
            else f"is not JSON: {_short(error)}"
        )
        raise FormatError(what, where=FILE, hint=_AGAIN) from None
    schema = value.pop("schema", None) if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise _foreign(schema)
    sections: dict[str, Any] = value
    return sections


def render(sections: Mapping[str, Any]) -> bytes:
    """The lock with these sections. Names that are no Unicode text are escaped, and read back as they were."""
    return ("".join(_lines({"schema": SCHEMA, **sections}, "")) + "\n").encode()


def _foreign(schema: object) -> FormatError:
    known = _SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
    if known:
        return FormatError(
            f"was written by another version (its schema is {schema}, not {SCHEMA})",
            where=FILE,
            hint="pip install --upgrade reproaudit",
        )
    return FormatError(f"is no lock of audit: its schema is not {SCHEMA}", where=FILE, hint=_AGAIN)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each: of two, JSON itself would silently keep the last."""
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} stands twice")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _short(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _lines(value: Any, indent: str) -> Iterator[str]:
    plain = not isinstance(value, dict | list | tuple)
    if not _holds_others(value) and (len(line := _flat(value)) <= _LINE or plain):
        yield line
        return
    inner = f"{indent}  "
    is_object = isinstance(value, dict)
    yield "{" if is_object else "["
    for count, item in enumerate(sorted(value.items()) if is_object else value):
        yield f"{',' if count else ''}\n{inner}"
        if is_object:
            yield f"{_flat(item[0])}: "
        yield from _lines(item[1] if is_object else item, inner)
    yield f"\n{indent}{'}' if is_object else ']'}"


def _holds_others(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(isinstance(item, dict | list | tuple) for item in items)


def _flat(value: Any) -> str:
    """On one line; bytes of file names that are no UTF-8 are lone surrogates, which only escapes can hold."""
    said = _readable(value)
    return said if said.isascii() or _encodable(said) else _escaped(value)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
