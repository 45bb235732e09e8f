"""conda-lock's file for all platforms (`conda-lock.yml`), and lists of packages by URL (`@EXPLICIT`).

Source: conda-lock's `lockfile/v1/models.py`, version 1 of its form; conda's user guide, "Building identical conda
environments".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

import msgspec
from msgspec.structs import replace

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.locks import match_spec, requirements
from audit.formats.locks.typed import LIMIT, converted
from audit.records.locks import Lock, Manager, Oddity, Pin

VERSION = 1
MAIN = "main"
EXPLICIT = "@EXPLICIT"
_PIP = "# pip "

_HASH = re.compile(r"(?:(?P<kind>md5|sha256):)?(?P<digest>[0-9a-fA-F]{32,64})")


class _Package(msgspec.Struct):
    name: str
    version: str
    manager: Manager
    platform: str
    url: str = ""
    hash: dict[str, str | None] = {}
    category: str = MAIN


class _Said(msgspec.Struct):
    version: int
    package: list[_Package]


def parse(data: bytes, name: str) -> Lock:
    """Read a `conda-lock.yml` called `name`; `FormatError` for another version of the form."""
    return read(yaml.parse(data, name), name)


def read(said: object, name: str) -> Lock:
    """The same, of what YAML said."""
    version = said.get("version") if isinstance(said, dict) else None
    if version != VERSION:
        hint = "`conda-lock lock` anew, or `conda-lock render --kind explicit`"
        raise FormatError(f"is of version {version}, and version {VERSION} is read", where=name, hint=hint)
    packages = converted(said, name, _Said).package
    return Lock(
        format="conda-lock.yml",
        pins=tuple(_pin(one, name) for one in packages),
        extras=(),
        groups=tuple(sorted({one.category for one in packages} - {MAIN})),
        main=MAIN,
    )


def _pin(one: _Package, name: str) -> Pin:
    where = f"{name}#package={one.name}"
    conda = one.manager is Manager.CONDA
    build = match_spec.archive(unquote(one.url.partition("#")[0].rpartition("/")[2]), where)[2] if conda else ""
    return Pin(
        where=where,
        name=one.name,
        specifier=f"=={one.version}",
        build=build,
        manager=one.manager,
        platform=one.platform,
        hashes=tuple(sorted(f"{kind}:{digest}" for kind, digest in one.hash.items() if digest)),
        groups={one.category: ""},
    )


def explicit(data: bytes, name: str) -> Lock:
    """Read a list of URLs called `name`; a line that is none is an `Oddity`."""
    if len(data) > LIMIT:
        raise FormatError(f"more than {LIMIT:,} bytes", where=name)
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8", where=name) from None
    found = list(_lines(lines, name))
    return Lock(
        format="@EXPLICIT",
        pins=tuple(one for one in found if isinstance(one, Pin)),
        oddities=tuple(one for one in found if isinstance(one, Oddity)),
    )


def _lines(lines: list[str], name: str) -> Iterator[Pin | Oddity]:
    for number, line in enumerate(lines, 1):
        said, where = line.strip(), f"{name}#line={number}"
        for_pip = said.startswith(_PIP)
        if not said or said == EXPLICIT or (said.startswith("#") and not for_pip):
            continue
        try:
            yield from _of_pip(said, where) if for_pip else [_listed(said, where)]
        except FormatError as error:
            yield Oddity(where=where, what=error.what)


def _of_pip(said: str, where: str) -> Iterator[Pin | Oddity]:
    """What conda-lock writes for pip into a comment, and hands to pip when it installs the list."""
    found = requirements.parse(said.removeprefix(_PIP).encode(), "pip")
    yield from (replace(one, where=where) for one in found.pins)
    yield from (replace(one, where=where) for one in found.oddities)


def _listed(said: str, where: str) -> Pin:
    """`URL/SUBDIR/NAME-VERSION-BUILD.conda#HASH`; a package of `noarch` is for all platforms."""
    url, _, digest = said.partition("#")
    folder, _, file = url.rpartition("/")
    name, version, build = match_spec.archive(unquote(file), where)
    subdir = folder.rpartition("/")[2]
    hashed = _HASH.fullmatch(digest)
    kind = (hashed["kind"] or ("md5" if len(hashed["digest"]) == 32 else "sha256")) if hashed else ""  # noqa: PLR2004
    return Pin(
        where=where,
        name=name,
        specifier=f"=={version}",
        build=build,
        manager=Manager.CONDA,
        platform="" if subdir == "noarch" or "-" not in subdir else subdir,
        hashes=(f"{kind}:{hashed['digest'].lower()}",) if hashed else (),
    )
