"""`pdm.lock`: packages with the groups that bring them in, and markers that hold for them whoever does.

Source: PDM's documentation, "Lock and manage dependencies", and its `formats`; `lock_version` 4.5. Markers and groups
are on the packages with the strategy `inherit_metadata`, which is the default since PDM 2.11.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats.locks.typed import toml
from audit.formats.urls import public
from audit.records.locks import Lock, Pin, Vcs

VERSION = "4.5"
MAIN = "default"
STRATEGY = "inherit_metadata"


class _File(msgspec.Struct):
    hash: str = ""


class _Package(msgspec.Struct):
    name: str
    version: str
    groups: list[str]
    extras: list[str] = []
    marker: str = ""
    files: list[_File] = []
    git: str = ""
    revision: str = ""
    subdirectory: str = ""
    path: str = ""
    url: str = ""
    editable: bool = False


class _Target(msgspec.Struct):
    requires_python: str = ""


class _Metadata(msgspec.Struct):
    lock_version: str
    groups: list[str] = []
    strategy: list[str] = []
    targets: list[_Target] = []


class _Head(msgspec.Struct):
    metadata: _Metadata


class _Said(msgspec.Struct):
    metadata: _Metadata
    package: list[_Package] = []


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` for one of another version or strategy."""
    head = toml(data, name, _Head).metadata
    hint = f"`pdm lock --strategy {STRATEGY}` with a PDM of now, or `pdm export -o requirements.txt`"
    if not head.lock_version.startswith(f"{VERSION}."):
        raise FormatError(f"is of version {head.lock_version}, and version {VERSION} is read", where=name, hint=hint)
    if STRATEGY not in head.strategy:
        raise FormatError(f"was locked without the strategy {STRATEGY}", where=name, hint=hint)
    said = toml(data, name, _Said)
    return Lock(
        format="pdm.lock",
        pins=tuple(_merged(_pin(one, name) for one in said.package)),
        groups=tuple(sorted({*head.groups} - {MAIN})),
        extras=tuple(sorted({*head.groups} - {MAIN})),
        extras_are_groups=True,
        main=MAIN,
        python=head.targets[0].requires_python.replace(" ", "") if len(head.targets) == 1 else "",
    )


def _merged(pins: Iterable[Pin]) -> Iterable[Pin]:
    """A package with extras stands beside the same without: one of them is enough to bring it in."""
    found: dict[tuple[str, ...], Pin] = {}
    for pin in pins:
        key = (pin.name, pin.specifier, pin.url, pin.path, pin.vcs.url if pin.vcs else "")
        other = found.get(key, pin)
        either = {group: _either(other.groups.get(group), said) for group, said in pin.groups.items()}
        groups = {**other.groups, **either}
        extras = tuple(sorted({*other.extras, *pin.extras}))
        hashes = tuple(sorted({*other.hashes, *pin.hashes}))
        found[key] = replace(other, groups=groups, extras=extras, hashes=hashes)
    return found.values()


def _either(one: str | None, other: str) -> str:
    if one is None or one == other:
        return other
    return f"({one}) or ({other})" if one and other else ""


def _pin(one: _Package, name: str) -> Pin:
    pin = Pin(
        where=f"{name}#package={one.name}",
        name=one.name,
        specifier=f"=={one.version}",
        extras=tuple(one.extras),
        hashes=tuple(sorted({file.hash for file in one.files if file.hash})),
        editable=one.editable,
        groups=dict.fromkeys(one.groups, one.marker),
    )
    if one.git:
        return replace(pin, vcs=Vcs(kind="git", url=public(one.git), ref=one.revision, subdirectory=one.subdirectory))
    if one.url:
        return replace(pin, url=public(one.url))
    return replace(pin, path=one.path, folder=not one.files) if one.path else pin
