r"""Checksum files: what `sha256sum`, `md5sum`, `shasum`, `b3sum`, `openssl dgst` and BSD's `sha256` write.

    <hex>  name              text mode; a star in place of the second space: binary mode
    <hex> name               BSD with -r, as long as the whole file has this form
    SHA256 (name) = <hex>    --tag and BSD; OpenSSL leaves out the first space or both

A backslash before a line says that in its name `\n`, `\r` and `\\` are escapes. With
`-z` lines end in NUL and nothing is escaped. Lines that begin with `#` are comments.

Sources: GNU coreutils 9, `src/digest.c` (`split_3`, `bsd_split_3`, `filename_unescape`);
b3sum 1.8, `src/main.rs` (`parse_check_line`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.manifest.listing import HEX_DIGITS, Bad, Line, Listing, content, digest, listing, tidy

_TAGS = {
    "MD5": "md5",
    "SHA1": "sha1",
    "SHA256": "sha256",
    "SHA2-256": "sha256",
    "SHA512": "sha512",
    "SHA2-512": "sha512",
    "BLAKE3": "blake3",
}
_TAGGED = re.compile(r"[ \t]*(\\?)([A-Za-z0-9/-]+) ?\((.*)\)[ \t]*=[ \t]*([0-9a-fA-F]+)", re.DOTALL)
_PLAIN = re.compile(r"[ \t]*(\\?)([0-9a-fA-F]{32,})[ \t](.+)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_ESCAPES = {"\\": "\\", "n": "\n", "r": "\r"}

_IN_A_NAME = {
    "md5": re.compile(r"md5", re.IGNORECASE),
    "sha1": re.compile(r"sha-?1(?!\d)", re.IGNORECASE),
    "sha256": re.compile(r"sha-?(2-)?256", re.IGNORECASE),
    "sha512": re.compile(r"sha-?(2-)?512(?!-|\d)", re.IGNORECASE),
    "blake3": re.compile(r"blake3|(?<![a-z0-9])b3(?![a-z0-9])|b3sum", re.IGNORECASE),
}
_NOT_READ = re.compile(r"b2sum|blake2\w*|sha-?3(?!\d)[\w-]*|sha-?(224|384)|sha-?512-\d+|sm3|crc32", re.IGNORECASE)


class _Style(NamedTuple):
    """What is known before a line is read: the algorithm that was declared, and the manifest's file name."""

    declared: str | None
    name: str


def parse(data: bytes, name: str, algorithm: str | None = None) -> Listing:
    """Read a checksum file called `name`.

    The algorithm is the line's tag, or the one declared, or the one in the file's
    name, or the only one with so many digits; `FormatError` where that leaves more
    than one, or none that is understood.
    """
    style = _Style(algorithm, name.rpartition("/")[2])
    rows = list(_rows(content(data, name)))
    single = next((form for _, row in rows if (form := _single_space(style, row)) is not None), False)
    try:
        return listing([_line(style, number, row, single=single) for number, row in rows])
    except FormatError as error:
        raise FormatError(error.what, where=name, hint=error.hint) from None


def _rows(data: bytes) -> Iterator[tuple[int, str]]:
    """Number the lines that say something. NUL-terminated ones hold any other byte."""
    zero = b"\0" in data
    for number, row in enumerate(data.split(b"\0" if zero else b"\n"), 1):
        text = row.decode("utf-8", "surrogateescape")
        text = text if zero else text.removesuffix("\r")
        if text.strip() and (zero or not text.startswith("#")):
            yield number, text


def _single_space(style: _Style, row: str) -> bool | None:
    """Tell BSD's reversed form, which has no mode mark before the name; None for a line of another kind."""
    found = _PLAIN.fullmatch(row)
    lengths = {HEX_DIGITS[style.declared]} if style.declared else HEX_DIGITS.values()
    if not found or len(found[2]) not in lengths:
        return None
    return len(found[3]) == 1 or found[3][0] not in " *"


def _line(style: _Style, number: int, row: str, *, single: bool) -> Line | Bad:
    if (tagged := _TAGGED.fullmatch(row)) and not _PLAIN.fullmatch(row):
        return _tagged(style, number, tagged)
    plain = _PLAIN.fullmatch(row)
    if not plain:
        return Bad(number, "neither '<digest>  <name>' nor 'ALGORITHM (<name>) = <digest>'")
    if _single_space(style, row) and not single:  # as coreutils: one space may not hide in a file of two
        return Bad(number, "one space before the name, where other lines have two")
    name = plain[3] if single else plain[3][1:]
    return _checked(number, name, plain[1], _algorithm(style, len(plain[2])), plain[2])


def _tagged(style: _Style, number: int, found: re.Match[str]) -> Line | Bad:
    algorithm = _TAGS.get(found[2].upper())
    if algorithm is None:
        return Bad(number, f"the algorithm {found[2][:20]} is not understood")
    if style.declared not in {None, algorithm}:
        return Bad(number, f"tagged {found[2]}, where {style.declared} is declared")
    return _checked(number, found[3], found[1], algorithm, found[4])


def _checked(number: int, name: str, escaped: str, algorithm: str, digits: str) -> Line | Bad:
    try:
        hexed, path = digest(algorithm, digits), tidy(_unescaped(name) if escaped else name)
        return Line(number, path, algorithm, hexed) if path else Bad(number, "no name")
    except FormatError as error:
        return Bad(number, error.what)


def _algorithm(style: _Style, digits: int) -> str:
    """Choose by what was declared, else by the manifest's name, else by the number of digits."""
    if style.declared:
        return style.declared
    if found := _NOT_READ.search(style.name):
        raise FormatError(f"the algorithm {found[0]} is not understood", hint=f"use one of {', '.join(HEX_DIGITS)}")
    named = [algorithm for algorithm, sign in _IN_A_NAME.items() if sign.search(style.name)]
    fitting = [algorithm for algorithm, length in HEX_DIGITS.items() if length == digits]
    choice = [algorithm for algorithm in named if algorithm in fitting] or named or fitting
    if len(choice) == 1:
        return choice[0]
    said = f"{digits} hex digits may be {' or '.join(choice)}" if choice else f"no algorithm has {digits} hex digits"
    raise FormatError(said, hint="declare it: `algorithm: sha256`")


def _unescaped(name: str) -> str:
    return _ESCAPE.sub(_escape, name)


def _escape(found: re.Match[str]) -> str:
    if found[1] not in _ESCAPES:
        raise FormatError(f"an unknown escape {found[0]!r} in its name")
    return _ESCAPES[found[1]]
