"""The files of a table dataset: which of them are its parts, in which format, under which partition folders."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal
from urllib.parse import unquote

from audit.errors import CannotLook
from audit.formats.glob import has_signs
from audit.formats.suffixes import is_packed, suffix
from audit.records.table import Part

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ARROW_FILES = frozenset({".arrow", ".feather", ".ipc"})
_ARROW = b"ARROW1"  # the file format; a stream of Arrow begins otherwise, and has no index to read columns by
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")

Partitions = tuple[tuple[str, Literal["integer", "string"]], ...]
"""The columns that folders name, and what their values are."""


def parts(path: str, found: Iterable[tuple[str, str]]) -> tuple[Part, ...]:
    """The parts of the dataset at `path`, from names and locations.

    A name that begins with `_`, as Spark's `_SUCCESS` does, is no part. Raises
    `CannotLook` if their folders do not name the same columns, or their formats differ.
    """
    base = _base(path)
    taken = [
        Part(location=location, name=name, keys=_keys(name, base))
        for name, location in found
        if name == path or not posixpath.basename(name).startswith("_")
    ]
    for one in taken:
        _alike(taken[0], one)
    return tuple(taken)


def _base(path: str) -> str:
    """The folder whose name is no part of any pattern: partition folders lie below it."""
    parts = path.split("/")
    whole = next((number for number, part in enumerate(parts) if has_signs(part)), len(parts))
    return "/".join(parts[:whole])


def _keys(name: str, base: str) -> tuple[tuple[str, str], ...]:
    folders = posixpath.dirname(name.removeprefix(base)).split("/")
    named = [folder.partition("=") for folder in folders if "=" in folder.lstrip("=")]
    return tuple((key, unquote(value)) for key, _, value in named)


def _alike(first: Part, other: Part) -> None:
    if [key for key, _ in first.keys] != [key for key, _ in other.keys]:
        raise CannotLook(
            f"its folders name other columns than those of {first.name}",
            where=other.name,
            hint="lay all files of the dataset out as key=value/ in the same way",
        )
    if suffix(first.name) != suffix(other.name):
        raise CannotLook(
            f"is of another format than {first.name}",
            where=other.name,
            hint="narrow the dataset's path down, as in data/*.csv",
        )


def columnar(found: Sequence[Part], head: Callable[[str, int], bytes]) -> Literal["parquet", "ipc"] | None:
    """The format, if the files can be read by columns where they lie; `head` gives the first bytes of one."""
    ends = suffix(found[0].name)
    if any(is_packed(part.name) for part in found):
        return None
    if ends == ".parquet":
        return "parquet"
    is_file = ends in _ARROW_FILES and all(head(part.location, len(_ARROW)) == _ARROW for part in found)
    return "ipc" if is_file else None


def partitions(found: Sequence[Part]) -> Partitions:
    """The columns that folders name; integers where all values are, without a leading zero that would be lost."""
    columns: dict[str, Literal["integer", "string"]] = {key: "integer" for key, _ in found[0].keys}
    for part in found:
        for key, value in part.keys:
            if value != _NULL and not _INTEGER.fullmatch(value):
                columns[key] = "string"
    return tuple(columns.items())
