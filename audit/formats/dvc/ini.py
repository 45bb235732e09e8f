"""The INI dialect of DVC's configuration files (ConfigObj), as far as DVC uses it.

Sections in brackets, `key = value`, quotes of both kinds, lists with commas,
comments, values over several lines in triple quotes. Interpolation (`%(name)s`)
is refused rather than misread.

Source: https://configobj.readthedocs.io/en/latest/configobj.html#the-config-file-format
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError

LIMIT = 2**20
"""Bytes of one file."""

Value = str | list[str]
Sections = dict[str, dict[str, "Setting"]]

_HEADER = re.compile(r"(\[++)\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^'\"\[\]]++))\s*+(\]++)\s*+(?:#.*)?")
_KEY = re.compile(r"(?:\"([^\"]*+)\"\s*+|'([^']*+)'\s*+|([^'\"=\[][^=]*+))=")
_PART = re.compile(r"\s*+(?:\"([^\"]*+)\"\s*+|'([^']*+)'\s*+|([^'\",#][^,#]*+)?)(,|#.*|$)")
_INTERPOLATION = re.compile(r"%\([^)]+\)s")
_TRIPLE = ('"""', "'''")


class Setting(NamedTuple):
    """A value, and the line that it stands on."""

    value: Value
    line: int


def parse(data: bytes, name: str) -> Sections:
    """Read the settings by section ("" before the first), names in lower case; `FormatError` at `name:line`."""
    if len(data) > LIMIT:
        raise FormatError(f"larger than {LIMIT} bytes", where=name)
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 at byte {error.start}", where=name) from None
    return _Reader(re.split("\r\n|\r|\n", text), name).sections()


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: list[str], name: str) -> None:
        self.lines: Iterator[tuple[int, str]] = enumerate(lines, start=1)
        self.name = name
        self.depth = 0

    def sections(self) -> Sections:
        found: Sections = {"": {}}
        section: dict[str, Setting] | None = found[""]
        for number, line in ((number, line.strip()) for number, line in self.lines):
            if not line or line.startswith("#"):
                continue
            if header := _HEADER.fullmatch(line):
                section = self._section(found, header, number)
            elif key := _KEY.match(line):
                self._setting(section, _written(key).lower(), line[key.end() :].strip(), number)
            else:
                raise self._error("is neither a section nor a setting", number)
        return found

    def _section(self, found: Sections, header: re.Match[str], number: int) -> dict[str, Setting] | None:
        depth = len(header[1])
        if depth != len(header[5]) or depth > self.depth + 1:
            raise self._error("has brackets that do not match", number)
        self.depth = depth
        if depth > 1:
            return None  # DVC has no sections in sections; what stands in one is passed over
        name = _written(header, first=2).lower()
        if name in found:
            raise self._error(f"opens the section {name!r} a second time", number)
        return found.setdefault(name, {})

    def _setting(self, section: dict[str, Setting] | None, key: str, text: str, number: int) -> None:
        value = self._value(text, number)
        if section is None:
            return
        if key in section:
            raise self._error(f"sets {key!r} a second time", number)
        section[key] = Setting(value, number)

    def _value(self, text: str, number: int) -> Value:
        value = self._long(text, number) if text.startswith(_TRIPLE) else self._parts(text, number)
        if any(_INTERPOLATION.search(each) for each in ([value] if isinstance(value, str) else value)):
            raise self._error("interpolates, which the audit does not", number)
        return value

    def _long(self, text: str, number: int) -> str:
        quote, text = text[:3], text[3:]
        lines = [text]
        while quote not in lines[-1]:
            _, line = next(self.lines, (0, None))
            if line is None:
                raise self._error("opens triple quotes that never close", number)
            lines.append(line)
        value, _, rest = "\n".join(lines).partition(quote)
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise self._error("goes on after its quotes", number)
        return value

    def _parts(self, text: str, number: int) -> Value:
        parts: list[str] = []
        at, commas, more = 0, 0, True
        while more:
            found = _PART.match(text, at)
            if not found:
                raise self._error("has quotes or commas that do not match", number)
            more = found[4] == ","
            filled = any(part is not None for part in found.groups()[:3])
            if commas > len(parts) and (filled or more):  # only a comma alone stands for an empty list
                raise self._error("has an empty part", number)
            commas += more
            parts += [_written(found)] if filled else []
            at = found.end()
        return parts if commas else "".join(parts)

    def _error(self, what: str, number: int) -> FormatError:
        return FormatError(f"the line {what}", where=f"{self.name}:{number}")


def _written(match: re.Match[str], first: int = 1) -> str:
    """What stands in double quotes, in single quotes, or bare."""
    double, single, bare = match.groups()[first - 1 : first + 2]
    return double if double is not None else single if single is not None else (bare or "").strip()
