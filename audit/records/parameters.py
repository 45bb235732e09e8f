"""What a check's fields say of themselves: which of them name datasets."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, get_args, get_origin

import msgspec

from audit.records.check import Check


@cache
def dataset_parameters(check: type[Check]) -> tuple[str, ...]:
    """The parameters of a check that name a dataset, in their order."""
    return tuple(field.encode_name for field in msgspec.structs.fields(check) if _refers(field.type))


def _refers(hint: Any) -> bool:
    if get_origin(hint) is Annotated and any(
        isinstance(part, msgspec.Meta) and (part.extra or {}).get("refers_to") == "dataset" for part in get_args(hint)[1:]
    ):
        return True
    return any(_refers(part) for part in get_args(hint))
