"""Parameter files: YAML, JSON, TOML, and Python, of which only literal assignments are read and nothing runs.

Source: `dvc/utils/serialize/` and `dvc/dependency/param.py` of DVC 3.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from audit.errors import FormatError
from audit.formats import yaml

LIMIT = yaml.LIMIT
"""Bytes of one file; of a Python or TOML file a tenth, since their parsers are slower."""
MAX_DEPTH = 100
"""Collections inside collections."""

_BROKEN = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)


def parse(data: bytes, path: str) -> Any:
    """Read a parameter file by its suffix; `FormatError` if it is none. An empty one is an empty mapping."""
    suffix = posixpath.splitext(path)[1].lower()
    if suffix not in _PARSERS:
        return yaml.parse(data, path, schema=yaml.RUAMEL) or {}
    if len(data) > (LIMIT if suffix == ".json" else LIMIT // 10):
        raise FormatError("too large for a parameter file", where=path)
    try:
        value = _PARSERS[suffix](data.decode())
        _bounded(value)
    except _BROKEN as error:
        raise FormatError(f"cannot be read: {str(error)[:200]}", where=path) from None
    return value


def lookup(values: Any, name: str) -> list[Any]:
    """Find what a parameter's dotted name stands for: nothing, one value, or several if it has wildcards (`dpath`)."""
    found = [values]
    for part in name.lstrip(".").split("."):
        found = [each for value in found for key, each in _entries(value) if _is(key, part, value)]
    return found


def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _is(key: Any, part: str, holder: Any) -> bool:
    if isinstance(key, int):
        try:
            return int(part) in ({key} if isinstance(holder, dict) else {key, key - len(holder)})
        except ValueError:
            return fnmatchcase(str(key), part)
    return isinstance(key, str) and (key == part or fnmatchcase(key, part))


def _bounded(value: Any, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} collections inside each other")
    for _, each in _entries(value):
        _bounded(each, depth + 1)


def _toml(text: str) -> dict[str, Any]:
    """Python's parser takes the square of a dotted key's length, so endless ones are refused."""
    if any(part.count(".") > MAX_DEPTH for part in re.split("[=\n{,]", text)):
        raise ValueError(f"a key of more than {MAX_DEPTH} parts")
    return tomllib.loads(text)


def _python(text: str) -> dict[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return _assignments(ast.parse(text).body)


def _assignments(body: Iterable[ast.stmt], *, of_self: bool = False) -> dict[Any, Any]:
    """Collect literals by the names that they are assigned to; those of a class, and of its `self`, by the class."""
    found: dict[Any, Any] = {}
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            found.update(_assignment(statement, of_self=of_self))
        elif isinstance(statement, ast.ClassDef):
            found[statement.name] = _assignments(statement.body)
        elif isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            found.update(_assignments(statement.body, of_self=True))
    return found


def _assignment(statement: ast.Assign | ast.AnnAssign, *, of_self: bool) -> Iterator[tuple[str, Any]]:
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
    name = _name(targets[0], of_self=of_self) if len(targets) == 1 else None
    if name is None or statement.value is None:
        return
    try:
        value = ast.literal_eval(statement.value)
    except ValueError:
        return  # no literal: DVC passes over it too
    yield name, value


def _name(target: ast.expr, *, of_self: bool) -> str | None:
    if isinstance(target, ast.Name) and not of_self:
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return target.attr
    return None


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    ".json": lambda text: json.loads(text) or {},
    ".toml": _toml,
    ".py": _python,
}
