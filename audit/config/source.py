"""A rule file as read: its values, and where each of them stands."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from audit.config.shapes import MisfitError, dotted, fit
from audit.config.shapes import Path as Steps
from audit.errors import AuditError, ConfigError, FormatError
from audit.formats.yaml import Mark, load
from audit.host import files

T = TypeVar("T")

LIMIT = 1 << 20
"""Bytes of a rule file: thousands of rules."""

_BEYOND = 1 << 63


class Source(NamedTuple):
    """One rule file. `label` is how messages call it: its path relative to the project, or the pack's name."""

    label: str
    folder: Path
    value: Any
    marks: Mapping[Steps, Mark]

    def where(self, path: Steps) -> str:
        """file:line:column of a value, or of the nearest thing around it."""
        while path and path not in self.marks:
            path = path[:-1]
        mark = self.marks[path]
        return f"{self.label}:{mark.line}:{mark.column}"

    def fault(self, path: Steps, what: str, hint: str = "") -> ConfigError:
        """An error that names the value and its place."""
        return ConfigError(f"{dotted(path)}: {what}" if path else what, where=self.where(path), hint=hint)

    def fit(self, shape: type[T]) -> T:
        """The whole file as the shape. Raises `ConfigError`."""
        try:
            return fit(self.value, shape)
        except MisfitError as misfit:
            raise self.fault(misfit.path, misfit.what, misfit.hint) from None


def read(file: Path, label: str) -> Source:
    """A rule file from disk. Raises `ConfigError` with the place of what is wrong."""
    data = b""
    try:
        data = files.read(files.resolve(str(file)), LIMIT)
        document = load(data, label)
    except FormatError as error:
        raise ConfigError(error.what, where=error.where, hint=error.hint or _tab(data, error.where)) from None
    except AuditError as error:
        raise ConfigError(error.what, where=label, hint=error.hint) from None
    source = Source(label, file.parent, document.value, document.marks)
    if not isinstance(source.value, dict):
        raise source.fault((), "a rule file is a mapping that begins with `version: 1`")
    return source._replace(value=_modelled(source, source.value, ()))


def _tab(data: bytes, where: str) -> str:
    """What to do about a tab that indents the line an error names (YAML 1.2.2, section 6.1)."""
    found = re.search(r":(\d+):\d+$", where)
    lines = data.splitlines()
    if found is None or not 0 < int(found[1]) <= len(lines):
        return ""
    line = lines[int(found[1]) - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return "a tab cannot indent YAML: write spaces" if b"\t" in indent else ""


def _modelled(source: Source, value: Any, path: Steps) -> Any:
    """The value in the data model of JSON, so that its JSON Schema, reports and digests can speak of it."""
    if isinstance(value, dict):
        return {_key(source, key, path): _modelled(source, item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_modelled(source, item, (*path, index)) for index, item in enumerate(value)]
    return _number(source, value, path) if isinstance(value, int | float) else value


def _key(source: Source, key: Any, path: Steps) -> str:
    if isinstance(key, str):
        return key
    raise ConfigError(
        f"{dotted(path)}{': ' if path else ''}the key {json.dumps(key)} is not text",
        where=source.where((*path, key)),
        hint="put it in quotes",
    )


def _number(source: Source, value: Any, path: Steps) -> Any:
    """JSON has one kind of number, and it is finite: 16000.0 is 16000."""
    if isinstance(value, int):
        if not -_BEYOND <= value < _BEYOND:
            raise source.fault(path, "a whole number beyond 64 bits", "put it in quotes if it is a name")
        return value
    if not math.isfinite(value):
        raise source.fault(path, "a number must be finite", "leave it out where there is no limit")
    return int(value) if value.is_integer() and abs(value) < _BEYOND else value
