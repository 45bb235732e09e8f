"""`Pipfile.lock`: packages by category, `default` and `develop` among them, each with its marker.

Source: pipenv's documentation, "Pipfile & Pipfile.lock", and the pipfile project's specification, version 6.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats.locks.typed import as_json, converted
from audit.formats.urls import public
from audit.records.locks import Lock, Pin, Vcs

VERSION = 6
MAIN = "default"


class _Package(msgspec.Struct):
    version: str = ""
    hashes: list[str] = []
    markers: str = ""
    extras: list[str] = []
    git: str = ""
    ref: str = ""
    subdirectory: str = ""
    path: str = ""
    file: str = ""
    editable: bool = False


class _Source(msgspec.Struct):
    url: str = ""


class _Requires(msgspec.Struct):
    python_version: str = ""
    python_full_version: str = ""


class _Meta(msgspec.Struct, rename={"spec": "pipfile-spec"}):
    spec: int
    requires: _Requires = msgspec.field(default_factory=_Requires)
    sources: list[_Source] = []


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` for another version of the form."""
    said = as_json(data, name, dict[str, object])
    meta = converted(said.pop("_meta", {}), name, _Meta)
    if meta.spec != VERSION:
        hint = "`pipenv lock`, or `pipenv requirements > requirements.txt`"
        raise FormatError(f"is of version {meta.spec}, and version {VERSION} is read", where=name, hint=hint)
    groups = {group: converted(some, name, dict[str, _Package]) for group, some in said.items()}
    return Lock(
        format="Pipfile.lock",
        pins=tuple(_pin(name, group, each, one) for group, some in groups.items() for each, one in some.items()),
        extras=(),
        groups=tuple(sorted(groups.keys() - {MAIN})),
        main=MAIN,
        indexes=tuple(public(source.url) for source in meta.sources),
        python=_python(meta.requires),
    )


def _python(asked: _Requires) -> str:
    if asked.python_full_version:
        return f"=={asked.python_full_version}"
    return f"=={asked.python_version}.*" if asked.python_version else ""


def _pin(name: str, group: str, package: str, one: _Package) -> Pin:
    pin = Pin(
        where=f"{name}#package={package}",
        name=package,
        specifier="" if one.version == "*" else one.version.replace(" ", ""),
        extras=tuple(one.extras),
        hashes=tuple(sorted(one.hashes)),
        editable=one.editable,
        groups={group: one.markers},
    )
    if one.git:
        return replace(pin, vcs=Vcs(kind="git", url=public(one.git), ref=one.ref, subdirectory=one.subdirectory))
    if "://" in one.file:
        return replace(pin, url=public(one.file))
    place = one.path or one.file
    return replace(pin, path=place, folder=not place.endswith((".whl", ".zip", ".gz"))) if place else pin
