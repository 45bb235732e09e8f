r"""Files of requirements: what pip reads, and `pip freeze`, pip-compile and uv write.

One requirement a line, in the grammar of PEP 508, with what pip adds: paths and URLs without a name, `-e`, options of
their own (`--hash`), `-r` and `-c` for other files, comments, lines continued with `\`.

Source: pip 25, "Requirements File Format", and its `req/req_file.py` for the order in which lines are joined, comments
taken off and options told from requirements.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from audit.errors import FormatError
from audit.formats.locks.compiled import compiled_by, sources
from audit.formats.urls import public
from audit.records.locks import Include, Lock, Oddity, Pin, Vcs

LIMIT = 16 << 20
"""Bytes of one file."""
LINES = 200_000

_COMMENT = re.compile(r"(^|\s+)#.*$")
_OPTION = re.compile(r"(?:^|(?<=\s))(--?[A-Za-z][A-Za-z-]*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z0-9+]+\+[a-z]+:|file:", re.ASCII)
_NAMED = re.compile(r"\s*[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*@\s*\S", re.ASCII)
_ARCHIVE = re.compile(r"\.(whl|zip|tar\.gz|tgz|tar\.bz2|tar\.xz|tar)$", re.IGNORECASE)
_EXTRAS = re.compile(r"^(?P<path>.*?)\[(?P<extras>[^\]]*)\]$")
_VCS = re.compile(r"(git|hg|svn|bzr)\+(.*)", re.DOTALL)

_Words = Sequence[str]


class _Line(NamedTuple):
    """A logical line: where it begins, and what it says without comments."""

    where: str
    text: str


class _Found(NamedTuple):
    """What a line adds to the whole: records of one field, or a switch."""

    field: str
    value: object


def parse(data: bytes, name: str) -> Lock:
    """Read a file called `name`, which is what stands in every `where`.

    `FormatError` for what is not UTF-8 or is no text of reasonable size. A line that says nothing that can be judged
    is an `Oddity`.
    """
    text = _text(data, name)
    found = [one for line in _logical(text, name) for one in _read(line)]
    command = compiled_by(text)
    fields: dict[str, object] = {one.field: one.value for one in found if one.value is True}
    for field in ("pins", "includes", "oddities", "indexes"):
        fields[field] = tuple(one.value for one in found if one.field == field)
    return replace(Lock(format="requirements.txt", command=command, sources=sources(command)), **fields)


def _text(data: bytes, name: str) -> str:
    if len(data) > LIMIT:
        raise FormatError(f"more than {LIMIT:,} bytes", where=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8", where=name, hint="save it as UTF-8") from None


def _logical(text: str, name: str) -> Iterator[_Line]:
    """Join continued lines, then take comments off; a comment ends a continuation."""
    parts: list[str] = []
    start = 1
    lines = text.splitlines()
    if len(lines) > LINES:
        raise FormatError(f"more than {LINES:,} lines", where=name)
    for number, line in enumerate(lines, 1):
        start = start if parts else number
        comment = _COMMENT.match(line)
        if line.endswith("\\") and not comment:
            parts.append(line.rstrip("\\"))
            continue
        yield from _bare(f"{name}#line={start}", "".join([*parts, f" {line}" if comment else line]))
        parts = []
    yield from _bare(f"{name}#line={start}", "".join(parts))


def _bare(where: str, text: str) -> Iterator[_Line]:
    if said := _COMMENT.sub("", text).strip():
        yield _Line(where, said)


def _read(line: _Line) -> Iterator[_Found]:
    try:
        yield from _option(line) if line.text.startswith("-") else _requirement(line)
    except (FormatError, ValueError, RecursionError) as error:
        yield _Found("oddities", Oddity(where=line.where, what=str(error)))


def _option(line: _Line) -> Iterator[_Found]:
    """A line of options: `--name value`, `--name=value`, `-nvalue`."""
    option, rest = _split_option(line.text)
    told = _OPTIONS.get(option)
    if told:
        yield from told(line, rest)
    elif option not in _SILENT:
        raise FormatError(f"has an option that is not known: {option}")


def _split_option(text: str) -> tuple[str, str]:
    if not text.startswith("--"):
        return text[:2], text[2:].lstrip(" =").strip()
    option, _, rest = text.partition(" ")
    option, equals, value = option.partition("=")
    return option, f"{value} {rest}".strip() if equals else rest.strip()


def _editable(line: _Line, rest: str) -> Iterator[_Found]:
    words, hashes = _own_options(rest)
    pin = _placed(line.where, words)
    yield _Found("pins", replace(pin, editable=True, hashes=hashes or pin.hashes))


def _included(line: _Line, rest: str, *, constraint: bool = False) -> Iterator[_Found]:
    yield _Found("includes", Include(where=line.where, path=_one(rest), constraint=constraint))


def _constrained(line: _Line, rest: str) -> Iterator[_Found]:
    yield from _included(line, rest, constraint=True)


def _index(_line: _Line, rest: str) -> Iterator[_Found]:
    yield _Found("indexes", public(_one(rest)))


def _strict(_line: _Line, _rest: str) -> Iterator[_Found]:
    yield _Found("strict", value=True)


def _pre(_line: _Line, _rest: str) -> Iterator[_Found]:
    yield _Found("pre", value=True)


_OPTIONS: Mapping[str, Callable[[_Line, str], Iterator[_Found]]] = {
    **dict.fromkeys(("-e", "--editable"), _editable),
    **dict.fromkeys(("-r", "--requirement"), _included),
    **dict.fromkeys(("-c", "--constraint"), _constrained),
    **dict.fromkeys(("-i", "--index-url", "--extra-index-url", "--pypi-url"), _index),
    "--require-hashes": _strict,
    "--pre": _pre,
}
_SILENT = frozenset(
    {"--no-index", "-f", "--find-links", "--no-binary", "--only-binary", "--prefer-binary", "--trusted-host"}
    | {"--use-feature", "--process-dependency-links", "--always-unzip", "-Z"}
)
"""Options that say how to install, not what."""


def _one(rest: str) -> str:
    words = shlex.split(rest)
    if len(words) != 1:
        raise FormatError("has an option without its value")
    return words[0]


def _requirement(line: _Line) -> Iterator[_Found]:
    text, hashes = _own_options(line.text)
    placed = (_SCHEME.match(text) or _is_path(text)) and not _NAMED.match(text)
    pin = _placed(line.where, text) if placed else _named(line.where, text)
    yield _Found("pins", replace(pin, hashes=hashes or pin.hashes))


def _own_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The requirement itself, and the hashes behind it; other options of a requirement say how to build it."""
    first = next((one for one in _OPTION.finditer(text) if one.start()), None)
    if first is None:
        return text, ()
    words = shlex.split(text[first.start() :])
    hashes = [after for word, after in zip(words, [*words[1:], ""], strict=True) if word == "--hash"]
    hashes += [word.partition("=")[2] for word in words if word.startswith("--hash=")]
    return text[: first.start()].strip(), tuple(sorted(hashes))


def _is_path(text: str) -> bool:
    """As pip does: something with a separator, a dot in front, or the suffix of an archive."""
    said = text.split(";", 1)[0].strip()
    return said.startswith(".") or "/" in said.split("@", 1)[0] or bool(_ARCHIVE.search(said))


def _named(where: str, text: str) -> Pin:
    try:
        said = Requirement(text)
    except InvalidRequirement as error:
        raise FormatError(f"is no requirement: {str(error).splitlines()[0]}") from None
    pin = Pin(
        where=where,
        name=said.name,
        specifier=",".join(sorted(map(str, said.specifier))),
        extras=tuple(sorted(said.extras)),
        marker=str(said.marker or ""),
    )
    return _at(pin, said.url) if said.url else pin


def _placed(where: str, text: str) -> Pin:
    """A place without a name in front: what is behind `#egg=`, or the name of a wheel, names it."""
    place, _, marker = (part.strip() for part in text.partition(" ;" if _SCHEME.match(text) else ";"))
    extras: tuple[str, ...] = ()
    if not _SCHEME.match(place) and (bracketed := _EXTRAS.match(place)):
        place = bracketed["path"]
        extras = tuple(sorted(one.strip() for one in bracketed["extras"].split(",") if one.strip()))
    pin = Pin(where=where, name=_egg(place), marker=marker, extras=extras)
    return _at(pin, place)


def _at(pin: Pin, place: str) -> Pin:
    """The pin, from this place."""
    version_control = _VCS.match(place)
    if version_control:
        return replace(pin, vcs=_vcs(version_control[1], version_control[2]))
    bare = place.partition("#")[0]
    wheel = _wheel(bare)
    named = replace(pin, name=pin.name or wheel[0], specifier=pin.specifier or wheel[1])
    hashed = replace(named, hashes=tuple(_fragment_hashes(place)))
    return replace(hashed, url=public(place)) if "://" in place else replace(hashed, path=bare.removeprefix("file:"))


def _vcs(kind: str, rest: str) -> Vcs:
    """`URL@REF#egg=NAME&subdirectory=PATH`; the user part's `@` is no ref."""
    url, _, fragment = rest.partition("#")
    head, slash, tail = url.rpartition("/")
    last, at, ref = tail.partition("@")
    inside = re.search(r"(?:^|&)subdirectory=([^&]*)", fragment)
    shown = public(f"{head}{slash}{last}")
    return Vcs(kind=kind, url=shown, ref=ref if at else "", subdirectory=inside[1] if inside else "")


def _egg(place: str) -> str:
    found = re.search(r"[#&]egg=([A-Za-z0-9._-]+)", place)
    return found[1] if found else ""


def _wheel(place: str) -> tuple[str, str]:
    """The name and `==version` in a wheel's file name."""
    try:
        name, version, _, _ = parse_wheel_filename(place.rpartition("/")[2].replace("%2B", "+"))
    except InvalidWheelFilename:
        return "", ""
    return name, f"=={version}"


def _fragment_hashes(place: str) -> Iterator[str]:
    """`#sha256=...` behind a URL."""
    for algorithm, digest in re.findall(r"[#&](sha256|sha384|sha512)=([0-9a-fA-F]+)", place):
        yield f"{algorithm}:{digest.lower()}"
