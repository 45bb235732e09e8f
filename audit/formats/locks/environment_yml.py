"""`environment.yml`: what conda is asked for, and what pip is asked for after it.

It names what somebody wants, not what that needs, so it is no whole lock. Source: conda's user guide, "Creating an
environment file manually".
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.locks import match_spec, requirements
from audit.formats.urls import public
from audit.records.locks import Include, Lock, Oddity, Pin

_Entry = Pin | Oddity | Include | str


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` where it has no list of dependencies."""
    return read(yaml.parse(data, name), name)


def read(said: object, name: str) -> Lock:
    """The same, of what YAML said."""
    asked = said.get("dependencies") if isinstance(said, dict) else None
    if not isinstance(asked, list):
        raise FormatError("has no list of `dependencies`", where=name, hint="it is no environment file of conda's")
    found = [each for number, one in enumerate(asked, 1) for each in _entry(one, f"{name}#dependency={number}")]
    return Lock(
        format="environment.yml",
        pins=tuple(one for one in found if isinstance(one, Pin)),
        oddities=tuple(one for one in found if isinstance(one, Oddity)),
        includes=tuple(one for one in found if isinstance(one, Include)),
        indexes=tuple(one for one in found if isinstance(one, str)),
        whole=False,
    )


def _entry(one: object, where: str) -> Iterator[_Entry]:
    if isinstance(one, dict) and set(one) == {"pip"} and isinstance(one["pip"], list):
        for line in one["pip"]:
            yield from _of_pip(line, where)
        return
    if not isinstance(one, str):
        yield Oddity(where=where, what="is neither a package nor a list for pip")
        return
    try:
        yield match_spec.parse(one, where)
    except FormatError as error:
        yield Oddity(where=where, what=error.what)


def _of_pip(line: object, where: str) -> Iterator[_Entry]:
    """A line of requirements; a file of them that it names is a part, too."""
    if not isinstance(line, str):
        yield Oddity(where=where, what="is no line for pip")
        return
    said = requirements.parse(line.encode(), "pip")
    yield from (replace(one, where=where) for one in said.pins)
    yield from (replace(one, where=where) for one in said.oddities)
    yield from (replace(one, where=where) for one in said.includes)
    yield from map(public, said.indexes)
