"""METADATA of a distribution (PKG-INFO of an egg): its name, its version and what it requires.

Source: "Core metadata specifications" of the Python packaging authority; the form is that of e-mail headers
(RFC 5322), of which only fields of one line are wanted here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from audit.errors import FormatError

LIMIT = 1 << 20
"""Bytes of headers."""


class Metadata(Struct, frozen=True):
    """The fields that an audit needs."""

    name: str
    version: str
    requires: tuple[str, ...] = ()
    requires_python: str = ""


def parse(data: bytes, name: str) -> Metadata:
    """Read the headers of a file called `name`; what follows the first empty line is its description.

    `FormatError` without a name or a version.
    """
    fields = _fields(data)
    said = {field: fields[field][0].strip() for field in ("name", "version") if fields.get(field)}
    if not said.get("name") or not said.get("version"):
        raise FormatError("says no name or no version", where=name)
    python = fields.get("requires-python", [""])[0].strip()
    return Metadata(said["name"], said["version"], tuple(map(str.strip, fields.get("requires-dist", []))), python)


def _fields(data: bytes) -> Mapping[str, Sequence[str]]:
    fields: defaultdict[str, list[str]] = defaultdict(list)
    last: list[str] = []
    for line in data.decode("utf-8", "replace").splitlines():
        if not line:
            break
        if line[0] in " \t":
            last[-1:] = [f"{last[-1]} {line.strip()}"] if last else []
            continue
        key, _, value = line.partition(":")
        last = fields[key.lower()]
        last.append(value)
    return fields
