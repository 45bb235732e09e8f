"""`pylock.toml`: the standard form, validated by `packaging`.

Source: PEP 751 and the specification "pylock.toml" of the Python packaging authority, version 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace
from packaging.pylock import Package, Pylock, PylockUnsupportedVersionError, PylockValidationError

from audit.errors import FormatError
from audit.formats.locks.typed import toml
from audit.formats.urls import public
from audit.records.locks import Lock, Pin, Vcs

_HEADER = re.compile(rb"\A(?:#[^\n]*\n)*?#\s+(uv [^\n]*)\n")


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`; `FormatError` for what the specification does not allow."""
    try:
        said = Pylock.from_dict(toml(data, name, dict[str, object]))
    except PylockUnsupportedVersionError as error:
        raise FormatError(str(error), where=name, hint="lock anew, for lock-version 1.0") from None
    except (PylockValidationError, RecursionError) as error:
        raise FormatError(f"is not as the standard demands: {error}", where=name) from None
    header = _HEADER.match(data)
    return Lock(
        format="pylock.toml",
        pins=tuple(_pin(one, name) for one in said.packages),
        command=header[1].decode("utf-8", "replace").strip() if header else "",
        indexes=tuple(sorted({public(one.index) for one in said.packages if one.index})),
        extras=tuple(said.extras or ()),
        groups=tuple(said.dependency_groups or ()),
        chosen=tuple(said.default_groups or ()),
        python=str(said.requires_python or ""),
        environments=tuple(map(str, said.environments or ())),
    )


def _pin(one: Package, name: str) -> Pin:
    pin = Pin(
        where=f"{name}#package={one.name}",
        name=one.name,
        specifier=f"=={one.version}" if one.version else "",
        marker=str(one.marker or ""),
        hashes=tuple(sorted(set(_hashes(one)))),
    )
    return _placed(pin, one)


def _hashes(one: Package) -> Iterator[str]:
    for file in (*(one.wheels or ()), *([one.sdist] if one.sdist else ()), *([one.archive] if one.archive else ())):
        yield from (f"{algorithm}:{digest}" for algorithm, digest in file.hashes.items())


def _placed(pin: Pin, one: Package) -> Pin:
    if one.vcs:
        place = public(one.vcs.url or one.vcs.path or "")
        vcs = Vcs(kind=one.vcs.type, url=place, ref=one.vcs.commit_id, subdirectory=one.vcs.subdirectory or "")
        return replace(pin, vcs=vcs)
    if one.directory:
        return replace(pin, path=one.directory.path, folder=True, editable=bool(one.directory.editable))
    if one.archive:
        return replace(pin, url=public(one.archive.url or ""), path="" if one.archive.url else one.archive.path or "")
    return pin
