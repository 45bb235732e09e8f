"""The variables that `${...}` in `dvc.yaml` may name.

They come from `params.yaml`, from the files and mappings under `vars:`, and in loops
from `item` and `key`. Nothing is ever redefined: the
same name from two places is an error; mappings are merged.

Source: `dvc/parsing/context.py` of DVC 3.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats.dvc import params

Read = Callable[[str], bytes | None]
"""Reads a file by its absolute path; None if there is none. `FormatError` if it may not be read."""

Values = dict[str, Any]

DEFAULT_FILE = "params.yaml"

_MISSING = object()


class Variables(NamedTuple):
    """Variables in force; `loaded` are the files they came from, and which of their names if not all.

    `reserved` are the names that a stage's own `vars:` may not set.
    """

    values: Mapping[str, Any] = MappingProxyType({})
    loaded: Mapping[str, tuple[str, ...] | None] = MappingProxyType({})
    reserved: frozenset[str] = frozenset()

    def select(self, expression: str) -> Any:
        """Find what an expression without its braces stands for; `FormatError` if nothing does."""
        value: Any = self.values
        for part in expression.replace("[", ".").replace("]", "").split("."):
            value = _step(value, part.strip())
            if value is _MISSING:
                raise FormatError(f"{expression[:120]!r} is not among the variables")
        return value

    def merged(self, values: Any) -> Variables:
        """Add a mapping."""
        added = plain(values)
        if taken := sorted(self.reserved & added.keys()):
            raise FormatError(f"sets the reserved variable {taken[0]!r}")
        return self._replace(values=_merged(self.values, added))

    def loading(self, item: str, wdir: str, read: Read) -> Variables:
        """Add a file, or with `file:name,name` some of its names."""
        name, _, listed = item.partition(":")
        path = posixpath.normpath(posixpath.join(wdir, name))
        names = tuple(each for each in listed.split(",") if each) or None
        before = self.loaded.get(path, ())
        if path in self.loaded and names is None and before is None:
            return self
        if path in self.loaded and (names is None or before is None or set(names) & set(before)):
            raise FormatError(f"{item!r} is loaded already, if only in part")
        values = _of_file(path, name, names, read)
        return self.merged(values)._replace(loaded={**self.loaded, path: names and (*(before or ()), *names)})

    def with_item(self, added: Values) -> Variables:
        """Lay `item` and `key` over what is there."""
        return self._replace(values={**self.values, **plain(added)}, reserved=self.reserved | added.keys())


def globals_of(items: list[Any], wdir: str, read: Read) -> Variables:
    """The variables of a whole `dvc.yaml`: `params.yaml` beside it, if there is one, and its `vars:`."""
    none = Variables()
    there = read(posixpath.join(wdir, DEFAULT_FILE)) is not None
    return extended(none.loading(DEFAULT_FILE, wdir, read) if there else none, items, wdir, read)


def extended(variables: Variables, items: list[Any], wdir: str, read: Read) -> Variables:
    """Add the entries of a `vars:`."""
    for item in items:
        variables = variables.loading(item, wdir, read) if isinstance(item, str) else variables.merged(item)
    return variables


def plain(values: Any) -> Any:
    """Drop what no expression can name, and refuse values that DVC does not interpolate."""
    if isinstance(values, dict):
        return {name: plain(value) for name, value in values.items() if isinstance(name, str)}
    if isinstance(values, list):
        return [plain(value) for value in values]
    if values is None or isinstance(values, int | float | str | bytes):
        return values
    raise FormatError(f"a value of type {type(values).__name__} among the variables", hint="put it in quotes")


def _of_file(path: str, name: str, names: tuple[str, ...] | None, read: Read) -> Values:
    data = read(path)
    if data is None:
        raise FormatError(f"the variables' file {name!r} does not exist")
    values = params.parse(data, name)
    if not isinstance(values, dict):
        raise FormatError(f"{name!r} holds no mapping")
    if names is None:
        return values
    if missing := [each for each in names if each not in values]:
        raise FormatError(f"{name!r} has no {missing[0]!r}")
    return {each: values[each] for each in names}


def _step(value: Any, part: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(part, _MISSING)
    if isinstance(value, list):
        try:
            return value[int(part)]
        except (ValueError, IndexError):
            return _MISSING
    return _MISSING


def _merged(into: Mapping[str, Any], added: Values) -> Values:
    both = dict(into)
    for name, value in added.items():
        there = into.get(name)
        if isinstance(there, dict) and isinstance(value, dict):
            both[name] = _merged(there, value)
        elif name in into:
            raise FormatError(f"the variable {name[:120]!r} is set twice")
        else:
            both[name] = value
    return both
