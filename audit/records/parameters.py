"""What a check's fields say of themselves: its parameters, and which of them name datasets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, get_args

import msgspec
from msgspec import NODEFAULT

from audit.records.check import Check
from audit.records.hints import Hint, notes, origin, words
from audit.records.words import Role

FILLED_IN: Mapping[str, Role | None] = MappingProxyType({"dataset": None, "reference": Role.TRAIN, "current": Role.VAL})
"""The dataset parameters that a rule may leave out though the check needs them, and the role that then fills them."""

PROFILE = "profile"
"""The parameter of checks that can write a profile for people to look at: whether they do."""


class Parameter(NamedTuple):
    """A parameter of a check as a person reads of it; `default` is None if it must be given."""

    name: str
    type: str
    default: str | None
    description: str


@cache
def dataset_parameters(check: type[Check]) -> tuple[str, ...]:
    """The parameters of a check that name a dataset, in their order."""
    return tuple(field.encode_name for field in msgspec.structs.fields(check) if _refers(field.type))


def left_open(check: type[Check], given: Collection[str]) -> tuple[str, ...]:
    """The datasets that a rule leaves to the plan: not given though needed, and of a name that fills itself in."""
    needed = {field.encode_name for field in msgspec.structs.fields(check) if field.required} & FILLED_IN.keys()
    return tuple(name for name in dataset_parameters(check) if name in needed and name not in given)


def parameters(check: type[Check]) -> tuple[Parameter, ...]:
    """The parameters of a check in their order."""
    return tuple(_parameter(field) for field in msgspec.structs.fields(check))


def _parameter(field: msgspec.structs.FieldInfo) -> Parameter:
    said = next((note.description for note in notes(field.type) if note.description), "")
    nothing = field.default is None  # that it may be nothing then goes without saying
    return Parameter(field.encode_name, words(field.type, nothing=not nothing), _default(field), said)


def _default(field: msgspec.structs.FieldInfo) -> str | None:
    if field.encode_name in FILLED_IN and field.required and _refers(field.type):
        role = FILLED_IN[field.encode_name]
        return f"each dataset with the role {role}" if role else "each dataset"
    if field.required:
        return None
    value = field.default if field.default is not NODEFAULT else field.default_factory()
    return "nothing" if value is None else msgspec.json.encode(value, order="deterministic").decode()


def _refers(hint: Hint) -> bool:
    if origin(hint) is Annotated and any(_names_dataset(part) for part in get_args(hint)[1:]):
        return True
    return any(_refers(part) for part in get_args(hint))


def _names_dataset(note: Any) -> bool:
    return isinstance(note, msgspec.Meta) and (note.extra or {}).get("refers_to") == "dataset"
