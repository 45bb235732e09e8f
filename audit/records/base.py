"""The one base of all records: frozen, by keyword, strict about its fields."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen value. Two records with equal fields are the same record."""
