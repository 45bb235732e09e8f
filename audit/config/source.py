"""A rule file as read: its values, and where each of them stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from audit.catalog import nearest
from audit.errors import ConfigError, FormatError
from audit.formats.yaml import Mark, load

T = TypeVar("T")
Path_ = tuple[str | int, ...]
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\[\.\.\.\]")
_UNKNOWN = re.compile(r"^Object contains unknown field `(.*)`")
_MISSING = re.compile(r"^Object missing required field `(.*)`")


class Source(NamedTuple):
    """One rule file. `label` is how messages call it."""

    label: str
    folder: Path
    value: Any
    marks: Mapping[Path_, Mark]

    def where(self, path: Path_) -> str:
        """file:line:column of a value, or of the nearest thing around it."""
        while path and path not in self.marks:
            path = path[:-1]
        mark = self.marks.get(path)
        return f"{self.label}:{mark.line}:{mark.column}" if mark else self.label


def read(file: Path, label: str) -> Source:
    """A rule file from disk. Raises `ConfigError` with the place of what is wrong."""
    try:
        document = load(file.read_bytes(), label)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=label, hint="`audit init` writes a first one") from None
    except FormatError as error:
        raise ConfigError(error.what, where=error.where, hint=error.hint) from None
    return Source(label, file.parent, document.value, document.marks)


def convert(source: Source, path: Path_, value: Any, shape: type[T]) -> T:
    """The value as the shape, strictly. Raises `ConfigError` that names the place and the nearest right word."""
    try:
        return msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError as error:
        raise explain(source, path, str(error), shape) from None


def explain(source: Source, path: Path_, message: str, shape: Any) -> ConfigError:
    """What msgspec says, in words that name the place."""
    text, _, tail = message.partition(" - at `$")
    inner = _steps(tail.rstrip("`"))
    if unknown := _UNKNOWN.match(text):
        word = unknown[1]
        return ConfigError(
            f"unknown key {word!r}", where=source.where((*path, *inner, word)), hint=nearest(word, _fields(shape, inner))
        )
    if missing := _MISSING.match(text):
        return ConfigError(f"{_dotted(inner)}the key {missing[1]!r} is missing", where=source.where((*path, *inner)))
    return ConfigError(f"{_dotted(inner)}{_lower(text)}", where=source.where((*path, *inner)))


def _steps(tail: str) -> Path_:
    found = (match.groups() for match in _STEP.finditer(tail))
    return tuple(name if name is not None else int(index) for name, index in found if name is not None or index)


def _fields(shape: Any, inner: Path_) -> Iterable[str]:
    """The keys that may stand at a place within the shape, as far as they are told."""
    for step in inner:
        shape = _child(shape, step)
    try:
        return [field.encode_name for field in msgspec.structs.fields(shape)]
    except TypeError:
        return []


def _child(shape: Any, step: str | int) -> Any:
    try:
        types = {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
    except TypeError:
        return None
    return _struct_in(types.get(str(step)))


def _struct_in(hint: Any) -> Any:
    """The first record type within a hint such as `Annotated[list[RuleEntry], ...]`."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    return next((found for part in getattr(hint, "__args__", ()) if (found := _struct_in(part))), None)


def _dotted(inner: Path_) -> str:
    return f"{'.'.join(map(str, inner))}: " if inner else ""


def _lower(text: str) -> str:
    return text.replace("`", "'")[:1].lower() + text.replace("`", "'")[1:]
