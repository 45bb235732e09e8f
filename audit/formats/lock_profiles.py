"""The section `profiles` of `audit.lock`: what the chosen tables looked like, column by column.

    "salt": "9c1f...",                        the key of hashed levels, see `audit.formats.keyed`
    "tables": {
      "train": {
        "columns": {
          "age": {
            "counts": "40 41 39 40",          the rows of each bin, see `Bins`: one more than edges
            "deviation": 12.3456, "distinct": 70, "edges": "23 31 48", "mean": 37.5,
            "missing": 0, "physical": "int64", "type": "integer"
          },
          "city": {"levels": {"5d41...": 80, ...}, "tail_levels": 3, "tail_rows": 44, ...}
        },
        "order": ["age", "city"],
        "rows": 160
      }
    }

What is 0, empty or withheld (`audit.formats.withheld`) does not stand there. A table with
`"values": true` was locked with its values: levels in plain words, `minimum`, `maximum`,
`quantiles` (at `PROBABILITIES`), and `shortest`, `longest`, `mean_length` of words. Numbers
in a row are text with a space between, so that a column takes few lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NoReturn

import msgspec

from audit.errors import FormatError
from audit.formats.lock import FILE
from audit.formats.lock_columns import HASH, ContradictionError, Count, LockedColumn, column_profile, written
from audit.records.base import Record
from audit.records.profile import ColumnProfile, TableProfile

SECTION = "profiles"
_HINT = "`audit lock profiles` writes it anew"


class _Table(Record, forbid_unknown_fields=False, omit_defaults=True):
    """One table as it stands in the lock."""

    rows: Count
    order: list[str]
    columns: dict[str, LockedColumn]
    values: bool = False


class _Section(Record, forbid_unknown_fields=False):
    salt: Annotated[str, msgspec.Meta(pattern=HASH)]
    tables: dict[str, _Table]


def salt_of(section: Any) -> str | None:
    """The salt of a section, if it has a good one; the rest of it may be anything."""
    said = section.get("salt") if isinstance(section, Mapping) else None
    return said if isinstance(said, str) and re.match(HASH, said) else None


def write(tables: Mapping[str, TableProfile], salt: str) -> dict[str, Any]:
    """The section as plain JSON, of profiles from which `withheld` has taken what it must."""
    section = _Section(salt=salt, tables={name: _table(profile) for name, profile in tables.items()})
    plain: dict[str, Any] = msgspec.to_builtins(section)
    return plain


def _table(profile: TableProfile) -> _Table:
    return _Table(
        rows=profile.rows,
        order=[one.column.name for one in profile.columns],
        columns={one.column.name: written(one) for one in profile.columns},
        values=not profile.salt,
    )


def read(section: Any) -> dict[str, TableProfile]:
    """The profiles of the section, by dataset. Raises `FormatError` if it makes no sense, or contradicts itself."""
    if section == {}:
        return {}
    try:
        found = msgspec.convert(section, _Section, strict=True)
    except msgspec.ValidationError as error:
        raise FormatError(f"{SECTION}: {error}", where=FILE, hint=_HINT) from None
    return {name: _profile(name, table, "" if table.values else found.salt) for name, table in found.tables.items()}


def _profile(name: str, table: _Table, salt: str) -> TableProfile:
    if sorted(table.order) != sorted(table.columns):
        _refuse(name, "its order does not name its columns, each once")
    return TableProfile(rows=table.rows, columns=tuple(_columns(name, table, hashed=bool(salt))), salt=salt)


def _columns(name: str, table: _Table, *, hashed: bool) -> Iterator[ColumnProfile]:
    for column in table.order:
        try:
            yield column_profile(column, table.columns[column], table.rows, hashed=hashed)
        except ContradictionError as error:
            _refuse(f"{name}: {column!r}", str(error))


def _refuse(place: str, what: str) -> NoReturn:
    raise FormatError(f"{SECTION}: {place}: {what}", where=FILE, hint=_HINT)
