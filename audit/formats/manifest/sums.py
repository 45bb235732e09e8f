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
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.manifest.listing import HEX_DIGITS, Bad, Line, Listing, content, digest, listing, numbered, tidy

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


class _Row(NamedTuple):
    """A line that says something; `plain` if it begins with a digest."""

    number: int
    text: str
    plain: re.Match[str] | None


class _Style(NamedTuple):
    """What holds for all lines: the algorithm that was declared, the one for each number of digits, the gap."""

    declared: str | None
    algorithms: Mapping[int, str | None]
    single_space: bool


def parse(data: bytes, name: str, algorithm: str | None = None) -> Listing:
    """Read a checksum file called `name`.

    The algorithm is the line's tag, or the one declared, or the one in the file's
    name, or the only one with so many digits; `FormatError` where that leaves more
    than one, or one that is not understood.
    """
    rows = list(_rows(content(data, name)))
    digits = {len(row.plain[2]) for row in rows if row.plain}
    algorithms = {count: algorithm or _algorithm(name, count) for count in sorted(digits)}
    style = _Style(algorithm, algorithms, _single_space(rows, algorithm))
    return listing([_line(style, row) for row in rows])


def _rows(data: bytes) -> Iterator[_Row]:
    """Number the lines that say something. NUL-terminated ones hold any other byte."""
    zero = b"\0" in data
    for number, row in numbered(data, b"\0" if zero else b"\n"):
        text = row.decode("utf-8", "surrogateescape")
        text = text if zero else text.removesuffix("\r")
        if text.strip() and (zero or not text.startswith("#")):
            yield _Row(number, text, _PLAIN.fullmatch(text))


def _single_space(rows: Iterable[_Row], declared: str | None) -> bool:
    """Tell BSD's reversed form, which has no mode mark before the name, by the first line with a whole digest."""
    lengths = {HEX_DIGITS[declared]} if declared else HEX_DIGITS.values()
    return next((_is_single(row.plain) for row in rows if row.plain and len(row.plain[2]) in lengths), False)


def _is_single(plain: re.Match[str]) -> bool:
    return len(plain[3]) == 1 or plain[3][0] not in " *"


def _line(style: _Style, row: _Row) -> Line | Bad:
    number, text, plain = row
    if not plain:
        tagged = _TAGGED.fullmatch(text)
        said = "neither '<digest>  <name>' nor 'ALGORITHM (<name>) = <digest>'"
        return _tagged(style, number, tagged) if tagged else Bad(number, said)
    algorithm = style.algorithms[len(plain[2])]
    if algorithm is None:
        return Bad(number, f"no algorithm has {len(plain[2])} hex digits")
    if not style.single_space and _is_single(plain):  # as coreutils: one space may not hide in a file of two
        return Bad(number, "one space before the name, where other lines have two")
    return _checked(number, plain[3] if style.single_space else plain[3][1:], plain[1], algorithm, plain[2])


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


def _algorithm(manifest: str, digits: int) -> str | None:
    """Choose by the manifest's name, else by the number of digits; None if no algorithm has so many."""
    name = manifest.rpartition("/")[2]
    if found := _NOT_READ.search(name):
        what = f"the algorithm {found[0]} is not understood"
        raise FormatError(what, where=manifest, hint=f"use one of {', '.join(HEX_DIGITS)}")
    named = [algorithm for algorithm, sign in _IN_A_NAME.items() if sign.search(name)]
    fitting = [algorithm for algorithm, length in HEX_DIGITS.items() if length == digits]
    choice = [algorithm for algorithm in named if algorithm in fitting] or named or fitting
    if len(choice) > 1:
        what = f"{digits} hex digits may be {' or '.join(choice)}"
        raise FormatError(what, where=manifest, hint=f"declare it: `algorithm: {choice[0]}`")
    return choice[0] if choice else None


def _unescaped(name: str) -> str:
    return _ESCAPE.sub(_escape, name)


def _escape(found: re.Match[str]) -> str:
    if found[1] not in _ESCAPES:
        raise FormatError(f"an unknown escape {found[0]!r} in its name")
    return _ESCAPES[found[1]]
