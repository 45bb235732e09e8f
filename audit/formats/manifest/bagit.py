"""BagIt bags: the tag files that say what a bag holds.

Source: RFC 8493 (BagIt 1.0), https://www.rfc-editor.org/rfc/rfc8493, and its section 7
on 0.97, where only CR and LF are percent-encoded, and a star may stand before a name.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.manifest.listing import HEX_DIGITS, Bad, Line, Listing, digest, listing, tidy, unsafe_reason

DECLARATION = "bagit.txt"
PAYLOAD = "data/"
ALGORITHMS = frozenset(HEX_DIGITS)
"""The algorithms whose manifests are understood."""

_DECLARED = re.compile(r"BagIt-Version: ([0-9]+)\.([0-9]+)\nTag-File-Character-Encoding: ([A-Za-z0-9_.:-]+)\n*")
_ENCODINGS = frozenset({"utf-8", "ascii", "iso8859-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"})
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9-]+)\.txt", re.IGNORECASE)
_LINE = re.compile(r"([0-9a-fA-F]+)[ \t]+(.+)", re.DOTALL)
_FETCH = re.compile(r"[^ \t]+[ \t]+([0-9]{1,20}|-)[ \t]+(.+)", re.DOTALL)
_FILLED = re.compile(r"[^\r\n]+")
_ENCODED = re.compile(r"%(0[DA])", re.IGNORECASE)
_ENCODED_1_0 = re.compile(r"%(0[DA]|25)", re.IGNORECASE)
_OXUM = re.compile(r"([0-9]{1,20})\.([0-9]{1,20})")

_1_0 = (1, 0)


class Bag(NamedTuple):
    """What `bagit.txt` declares: the version, and the encoding of the other tag files."""

    version: tuple[int, int]
    encoding: str

    @property
    def all_listed_in_all(self) -> bool:
        """Whether every payload manifest must list every payload file."""
        return self.version >= _1_0


class ManifestName(NamedTuple):
    """What the name of a manifest in a bag says."""

    algorithm: str
    tags: bool


class Oxum(NamedTuple):
    """The payload in numbers: bytes and files."""

    octets: int
    files: int

    def __str__(self) -> str:
        return f"{self.octets}.{self.files}"


def declaration(data: bytes, name: str) -> Bag:
    """Read `bagit.txt`: exactly two lines, in UTF-8 without a byte order mark."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    found = _DECLARED.fullmatch(text if text.endswith("\n") else f"{text}\n")
    if not found:
        raise FormatError(
            "not the two lines that declare a bag", where=name, hint="BagIt-Version, Tag-File-Character-Encoding"
        )
    try:
        encoding = codecs.lookup(found[3]).name
    except LookupError:
        encoding = ""
    if encoding not in _ENCODINGS:
        raise FormatError(f"the encoding {found[3][:40]} is not understood", where=name)
    return Bag((int(found[1]), int(found[2])), encoding)


def manifest_name(name: str) -> ManifestName | None:
    """Tell a payload or tag manifest by its name; None for any other file."""
    found = _MANIFEST.fullmatch(name)
    return ManifestName(found[2].lower(), bool(found[1])) if found else None


def manifest(data: bytes, name: str, bag: Bag, said: ManifestName) -> Listing:
    """Read a payload or tag manifest."""
    if said.algorithm not in HEX_DIGITS:
        raise FormatError(f"the algorithm {said.algorithm} is not understood", where=name)
    return listing([_line(number, row, bag, said) for number, row in _rows(data, name, bag)])


def oxum(data: bytes, name: str, bag: Bag) -> Oxum | None:
    """Read the Payload-Oxum out of `bag-info.txt`, if it is there."""
    labels = (row.partition(":") for _, row in _rows(data, name, bag))
    said = {value.strip() for label, _, value in labels if label.strip().lower() == "payload-oxum"}
    if not said:
        return None
    found = _OXUM.fullmatch(said.pop())
    if said or not found:
        raise FormatError("a Payload-Oxum that is not one 'bytes.files'", where=name)
    return Oxum(int(found[1]), int(found[2]))


def fetched(data: bytes, name: str, bag: Bag) -> Listing:
    """Read the paths of `fetch.txt`: files that the bag leaves to be fetched. Where from is not told."""
    return listing([_fetch(number, row, bag) for number, row in _rows(data, name, bag)])


def _rows(data: bytes, name: str, bag: Bag) -> Iterator[tuple[int, str]]:
    """Number the lines that say something; a line may end in CR, LF or both."""
    try:
        text = data.decode(bag.encoding, "surrogateescape" if bag.encoding == "utf-8" else "strict")
    except UnicodeDecodeError:
        raise FormatError(f"not {bag.encoding}, which bagit.txt declares", where=name) from None
    return ((number, row) for number, row in _numbered(text.removeprefix("\ufeff")) if row.strip())


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines that are not empty; see `listing.numbered`."""
    number, before = 1, 0
    for found in _FILLED.finditer(text):
        gap = (before, found.start())
        number += text.count("\n", *gap) + text.count("\r", *gap) - text.count("\r\n", *gap)
        before = found.start()
        yield number, found[0]


def _line(number: int, row: str, bag: Bag, said: ManifestName) -> Line | Bad:
    found = _LINE.fullmatch(row)
    if not found:
        return Bad(number, "not '<digest> <path>'")
    path = _path(found[2], bag)
    if path.startswith(PAYLOAD) == said.tags and not unsafe_reason(path):  # an unsafe path is named as such
        return Bad(
            number, "a payload file in a tag manifest" if said.tags else "a path outside data/ in a payload manifest"
        )
    try:
        return Line(number, path, said.algorithm, digest(said.algorithm, found[1]))
    except FormatError as error:
        return Bad(number, error.what)


def _fetch(number: int, row: str, bag: Bag) -> Line | Bad:
    found = _FETCH.fullmatch(row)
    if not found:
        return Bad(number, "not '<url> <length> <path>'")
    return Line(number, _path(found[2], bag), "", "", None if found[1] == "-" else int(found[1]))


def _path(said: str, bag: Bag) -> str:
    starred = said.startswith("*") and (bag.version < _1_0 or said.startswith(f"*{PAYLOAD}"))
    encoded = _ENCODED_1_0 if bag.version >= _1_0 else _ENCODED
    return tidy(encoded.sub(lambda found: chr(int(found[1], 16)), said[1:] if starred else said))
