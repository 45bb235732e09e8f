"""The one base of all records: frozen, by keyword, strict about its fields."""

from __future__ import annotations

from typing import Any, dataclass_transform

import msgspec


class ByKeyword(msgspec.StructMeta):
    """Makes the fields of every subclass keywords: msgspec hands on `frozen` to subclasses, but not `kw_only`."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> ByKeyword:
        """Make the class; `kw_only=False` says otherwise."""
        return super().__new__(mcls, name, bases, namespace, **({"kw_only": True} | options))


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(msgspec.Struct, metaclass=ByKeyword, frozen=True, forbid_unknown_fields=True):
    """A frozen value. Two records with equal fields are the same record."""
