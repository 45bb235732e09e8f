"""TOML and JSON from bytes to the structs that a reader of a lock declares; one place for what can be wrong."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import TypeVar

import msgspec

from audit.errors import FormatError

LIMIT = 16 << 20
"""Bytes of one file."""

Said = TypeVar("Said")


def toml(data: bytes, name: str, form: type[Said]) -> Said:
    """Read a file called `name` of TOML 1.0 as `form`; `FormatError` for what is none, or has other types."""
    return _read(tomllib.loads, data, name, form)


def as_json(data: bytes, name: str, form: type[Said]) -> Said:
    """The same for JSON (RFC 8259)."""
    return _read(json.loads, data, name, form)


def converted(said: object, name: str, form: type[Said]) -> Said:
    """Values as `form`."""
    try:
        return msgspec.convert(said, form)
    except msgspec.ValidationError as error:
        raise FormatError(str(error), where=name) from None


def _read(load: Callable[[str], object], data: bytes, name: str, form: type[Said]) -> Said:
    if len(data) > LIMIT:
        raise FormatError(f"more than {LIMIT:,} bytes", where=name)
    try:
        said = load(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8", where=name, hint="save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"cannot be read: {str(error) or 'nested too deep'}", where=name) from None
    return converted(said, name, form)
