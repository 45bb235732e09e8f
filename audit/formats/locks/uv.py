"""`uv.lock`: a graph of packages for all platforms at once; what applies is reached from the project's own package.

Source: uv's documentation, "Locking and syncing" and "Resolution" (forks, `resolution-markers`); the form is uv's own
and not specified, so it is read as uv 0.4 to 0.13 write it (version 1, any revision: a revision is compatible).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats.locks.typed import toml
from audit.formats.urls import public
from audit.records.locks import Lock, Need, Pin, Vcs

VERSION = 1

_Source = Mapping[str, object]
_PLACES = ("virtual", "editable", "directory", "path", "url", "git", "registry")


class _Edge(msgspec.Struct):
    name: str
    version: str = ""
    source: _Source = {}
    marker: str = ""
    extra: list[str] = []


class _File(msgspec.Struct):
    hash: str = ""


class _Package(msgspec.Struct, rename="kebab"):
    name: str
    version: str = ""
    source: _Source = {}
    resolution_markers: list[str] = []
    dependencies: list[_Edge] = []
    optional_dependencies: dict[str, list[_Edge]] = {}
    dev_dependencies: dict[str, list[_Edge]] = {}
    sdist: _File | None = None
    wheels: list[_File] = []


class _Manifest(msgspec.Struct):
    members: list[str] = []


class _Said(msgspec.Struct, rename="kebab"):
    version: int
    package: list[_Package] = []
    requires_python: str = ""
    supported_markers: list[str] = []
    manifest: _Manifest = msgspec.field(default_factory=_Manifest)


class _Version(msgspec.Struct):
    version: int


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` for another version, or where nothing says which package is its own."""
    version = toml(data, name, _Version).version
    if version != VERSION:
        hint = f"`uv lock` with a uv that writes version {VERSION}, or `uv export -o requirements.txt`"
        raise FormatError(f"is of version {version}, and version {VERSION} is read", where=name, hint=hint)
    said = toml(data, name, _Said)
    roots = _roots(said, name)
    own = [one for one in said.package if one.name in roots]
    return Lock(
        format="uv.lock",
        pins=tuple(_pin(one, name) for one in said.package),
        extras=tuple(sorted({extra for one in own for extra in one.optional_dependencies})),
        groups=tuple(sorted({group for one in own for group in one.dev_dependencies})),
        python=said.requires_python.replace(" ", ""),
        environments=tuple(said.supported_markers),
        roots=roots,
    )


def _roots(said: _Said, name: str) -> tuple[str, ...]:
    """The package that lies in the lock's own folder; without one, the members of the workspace, as `uv sync` does."""
    here = tuple(one.name for one in said.package if one.source.get("virtual", one.source.get("editable")) == ".")
    roots = here or tuple(one for one in said.manifest.members if any(each.name == one for each in said.package))
    if not roots:
        hint = "`uv export -o requirements.txt`, and name that file"
        raise FormatError("has no package of the project's own, as the lock of a script", where=name, hint=hint)
    return roots


def _pin(one: _Package, name: str) -> Pin:
    files = [*([one.sdist] if one.sdist else []), *one.wheels]
    pin = Pin(
        where=f"{name}#package={one.name}",
        name=one.name,
        specifier=f"=={one.version}" if one.version else "",
        hashes=tuple(sorted({file.hash for file in files if file.hash})),
        source=_told(one.source),
        forks=tuple(one.resolution_markers),
        needs=tuple(_needs(one)),
    )
    return _placed(pin, one.source)


def _needs(one: _Package) -> Iterator[Need]:
    yield from map(_need, one.dependencies)
    for extra, edges in one.optional_dependencies.items():
        yield from (replace(_need(edge), extra=extra) for edge in edges)
    for group, edges in one.dev_dependencies.items():
        yield from (replace(_need(edge), group=group) for edge in edges)


def _need(edge: _Edge) -> Need:
    return Need(
        name=edge.name,
        version=edge.version,
        source=_told(edge.source),
        marker=edge.marker,
        extras=tuple(edge.extra),
    )


def _told(source: _Source) -> str:
    """A source as one word, by which packages of one name and version are told apart."""
    return " ".join(f"{key}={public(str(source[key]))}" for key in _PLACES if key in source)


def _placed(pin: Pin, source: _Source) -> Pin:
    kind = next((key for key in _PLACES if key in source), "registry")
    place = str(source.get(kind, ""))
    if kind == "git":
        bare, _, commit = place.partition("#")
        vcs = Vcs(kind="git", url=public(bare), ref=commit, subdirectory=str(source.get("subdirectory", "")))
        return replace(pin, vcs=vcs)
    if kind == "url":
        return replace(pin, url=public(place))
    if kind == "registry":
        return pin
    return replace(pin, path=place, folder=kind != "path", editable=kind == "editable", virtual=kind == "virtual")
