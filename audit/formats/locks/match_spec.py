"""What is asked of conda: match specifications, and the names of packages' files.

Source: conda's user guide, "Package match specifications" and "Package naming conventions"; its
`models/match_spec.py` for what `=` means beside `==`.
"""

from __future__ import annotations

import re

from audit.errors import FormatError
from audit.records.locks import Manager, Pin

_SPEC = re.compile(
    r"(?:(?P<channel>[^\s:\[]+)::?(?:[^\s:\[]*:)?)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]*)(?P<rest>.*)", re.DOTALL
)
_BRACKETS = re.compile(r"\[(?P<inside>[^\]]*)\]\s*$")
_FIELD = re.compile(
    r"""\s*(?P<key>[a-z_0-9]+)\s*=\s*(?:'(?P<one>[^']*)'|"(?P<two>[^"]*)"|(?P<bare>[^,'"\s]+))\s*(?:,|$)"""
)
_ARCHIVE = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.(?:conda|tar\.bz2)")
_UNUSED = frozenset({"channel", "subdir", "md5", "sha256", "url", "fn", "license", "track_features"})


def parse(text: str, where: str) -> Pin:
    """One specification: `numpy`, `numpy=1.26`, `numpy==1.26.4`, `numpy=1.26.4=py311_0`, `channel::numpy >=1,<2`.

    `FormatError` for what is none. The pin's specifier is conda's, with an operator in front of a plain version.
    """
    said = text.partition("#")[0].strip()
    brackets = _BRACKETS.search(said)
    fields = _fields(brackets["inside"], where) if brackets else {}
    found = _SPEC.fullmatch(said[: brackets.start()].strip() if brackets else said)
    if found is None:
        raise FormatError(f"is no specification of conda's: {text}", where=where)
    version, build = _version(found["rest"].strip())
    inside = fields.get("version")
    return Pin(
        where=where,
        name=found["name"],
        specifier=_exact(inside.replace(" ", "")) if inside else version,
        build=fields.get("build", build),
        manager=Manager.CONDA,
    )


def _fields(inside: str, where: str) -> dict[str, str]:
    """`[version='>=1', build=py_0]`; what says more than an audit can judge is refused."""
    fields: dict[str, str] = {}
    rest = inside
    while rest.strip():
        found = _FIELD.match(rest)
        if found is None or (found["key"] not in {"version", "build"} and found["key"] not in _UNUSED):
            raise FormatError(f"has fields that are not understood: [{inside}]", where=where)
        fields[found["key"]] = found["one"] or found["two"] or found["bare"] or ""
        rest = rest[found.end() :]
    return fields


def _version(rest: str) -> tuple[str, str]:
    """The version's specification and the build behind a name; `=1.2=build` is exact, `=1.2` alone is not."""
    spaced = re.sub(r"\s*([,|])\s*", r"\1", re.sub(r"([<>=!~]+)\s+", r"\1", rest))
    words = spaced.split()
    if len(words) == 2:  # noqa: PLR2004 - a version and a build
        return _exact(words[0].removeprefix("=") if words[0][:2] != "==" else words[0]), words[1]
    if len(words) > 1:
        raise FormatError(f"is no version of conda's: {rest}")
    found = re.fullmatch(r"(==?)([^=<>!~,|]+)=([^=]+)", spaced)
    if found:
        return _exact(found[2]) if found[1] == "=" else f"=={found[2]}", found[3]
    return _exact(spaced), ""


def _exact(said: str) -> str:
    """A plain version is that version alone."""
    plain = said[:1].isalnum() and not any(sign in said for sign in "*,|")
    return f"=={said}" if plain else "" if said == "*" else said


def archive(file: str, where: str) -> tuple[str, str, str]:
    """The name, version and build in the name of a package's file."""
    found = _ARCHIVE.fullmatch(file)
    if found is None:
        raise FormatError(f"is no package of conda's: {file}", where=where)
    return found["name"], found["version"], found["build"]
