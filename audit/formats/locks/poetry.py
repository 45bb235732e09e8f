"""`poetry.lock` as Poetry 2 writes it: each package with its groups and markers.

Source: Poetry's documentation, "The poetry.lock file", and its `packages/locker.py`; `lock-version` 2.1.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats.locks.typed import toml
from audit.formats.urls import public
from audit.records.locks import Lock, Pin, Vcs

VERSION = "2.1"
MAIN = "main"


class _File(msgspec.Struct):
    hash: str = ""


class _Source(msgspec.Struct):
    type: str = ""
    url: str = ""
    resolved_reference: str = ""
    subdirectory: str = ""


class _Package(msgspec.Struct):
    name: str
    version: str
    groups: list[str]
    markers: str | dict[str, str] = ""
    files: list[_File] = []
    develop: bool = False
    source: _Source = msgspec.field(default_factory=_Source)


class _Metadata(msgspec.Struct, rename="kebab"):
    lock_version: str
    python_versions: str = ""


class _Head(msgspec.Struct):
    metadata: _Metadata


class _Said(msgspec.Struct):
    metadata: _Metadata
    package: list[_Package] = []
    extras: dict[str, list[str]] = {}


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` for one of another version: the older ones know no groups."""
    version = toml(data, name, _Head).metadata.lock_version
    if version != VERSION:
        hint = "`poetry lock` with Poetry 2, or `poetry export -o requirements.txt`"
        raise FormatError(f"is of version {version}, and version {VERSION} is read", where=name, hint=hint)
    said = toml(data, name, _Said)
    return Lock(
        format="poetry.lock",
        pins=tuple(_pin(one, name) for one in said.package),
        extras=tuple(said.extras),
        groups=tuple(sorted({group for one in said.package for group in one.groups} - {MAIN})),
        main=MAIN,
        python=_specifier(said.metadata.python_versions),
    )


def _specifier(said: str) -> str:
    """Poetry's constraint, where PEP 440 says it with the same signs; what has its own (`^3.9`, `||`) is left out."""
    return "" if any(sign in said for sign in "^~|*") or not said.startswith((">", "<", "=", "!")) else said


def _pin(one: _Package, name: str) -> Pin:
    markers = one.markers if isinstance(one.markers, dict) else dict.fromkeys(one.groups, one.markers)
    pin = Pin(
        where=f"{name}#package={one.name}",
        name=one.name,
        specifier=f"=={one.version}",
        hashes=tuple(sorted({file.hash for file in one.files if file.hash})),
        groups={group: markers.get(group, "") for group in one.groups},
    )
    return _placed(pin, one)


def _placed(pin: Pin, one: _Package) -> Pin:
    kind, url = one.source.type, one.source.url
    if kind == "git":
        vcs = Vcs(kind="git", url=public(url), ref=one.source.resolved_reference, subdirectory=one.source.subdirectory)
        return replace(pin, vcs=vcs, editable=one.develop)
    if kind == "url":
        return replace(pin, url=public(url))
    if kind in {"directory", "file"}:
        return replace(pin, path=url, folder=kind == "directory", editable=one.develop)
    return pin
