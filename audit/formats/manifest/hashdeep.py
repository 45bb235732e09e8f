"""Files of `hashdeep`: a header, the names of the columns, and a line of values for each file.

    %%%% HASHDEEP-1.0
    %%%% size,md5,sha256,filename
    ## comments
    5,<md5>,<sha256>,data/a.txt

Source: hashdeep 4.4, `FILEFORMAT` and `src/hashlist.cpp`. A file name is the last column
and may hold commas. Each file is held against the strongest digest that its line has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.errors import FormatError
from audit.formats.manifest.listing import Bad, Line, Listing, content, digest, listing, numbered, tidy

HEADER = b"%%%% HASHDEEP-"
_VERSION = "1.0"
_STRONGEST = ("sha256", "sha1", "md5")
_HEX = re.compile(r"[0-9a-fA-F]+")
_SIZE = re.compile(r"[0-9]{1,20}")


def is_hashdeep(data: bytes) -> bool:
    """Tell a file of hashdeep by its first bytes."""
    return data.removeprefix(b"\xef\xbb\xbf").startswith(HEADER)


def parse(data: bytes, name: str) -> Listing:
    """Read a file of hashdeep; `FormatError` if its header is not of version 1.0 or names no digest."""
    columns: list[str] = []
    read: list[Line | Bad] = []
    for number, raw in numbered(content(data, name)):
        row = raw.decode("utf-8", "surrogateescape").removesuffix("\r")
        if row.startswith("%%%%"):
            columns = _columns(row[4:].strip(), columns, f"{name}:{number}")
        elif row.strip() and not row.startswith("##"):
            read.append(_line(number, row, columns))
    return listing(read)


def _columns(said: str, known: list[str], where: str) -> list[str]:
    if said.startswith("HASHDEEP-"):
        if said != f"HASHDEEP-{_VERSION}":
            raise FormatError(f"{said[:40]} is not understood", where=where, hint=f"version {_VERSION} is")
        return known
    columns = said.split(",")
    if columns[0] != "size" or columns[-1] != "filename" or not set(columns) & set(_STRONGEST):
        raise FormatError("columns without a size, a digest or a file name", where=where)
    return columns


def _line(number: int, row: str, columns: Sequence[str]) -> Line | Bad:
    if not columns:
        return Bad(number, "before the columns are named")
    values = row.split(",", len(columns) - 1)
    if len(values) != len(columns):
        return Bad(number, f"{len(values)} values, where the header names {len(columns)}")
    said = dict(zip(columns, values, strict=True))
    algorithm = next(each for each in _STRONGEST if each in said)
    if not _SIZE.fullmatch(said["size"]) or not _HEX.fullmatch(said[algorithm]) or not tidy(said["filename"]):
        return Bad(number, f"not '{','.join(columns)}'")
    try:
        hexed = digest(algorithm, said[algorithm])
    except FormatError as error:
        return Bad(number, error.what)
    return Line(number, tidy(said["filename"]), algorithm, hexed, int(said["size"]))
