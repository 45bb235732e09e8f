"""Types of numbers: how numpy's headers say them, and how many bytes one takes.

Sources: numpy's array interface (`typestr`) and numpy.lib.format; the safetensors format.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any, NamedTuple

from audit.errors import FormatError

_TYPESTR = re.compile(r"([<>|=]?)([?bBhHiIlLqQefdgFDGbiufcmMOSaUV])(\d{0,9})(\[[0-9a-zA-Z/]{1,20}\])?")
_KINDS = {"b": "int", "i": "int", "u": "uint", "f": "float", "c": "complex", "M": "datetime", "m": "timedelta"}
_SIZES = {
    "i": (1, 2, 4, 8),
    "u": (1, 2, 4, 8),
    "f": (2, 4, 8, 12, 16),
    "c": (8, 16, 24, 32),
    "M": (8,),
    "m": (8,),
}
_SHORT = {"?": "b1", "B": "u1", "h": "i2", "H": "u2", "e": "f2", "d": "f8", "F": "c8", "D": "c16"}
_MOST_FIELDS = 10_000


class Dtype(NamedTuple):
    """A type as `records.array.Tensor` spells it, its byte order, and bytes of one; None where they are pickled."""

    name: str
    order: str
    size: int | None


def numpy_dtype(descr: Any) -> Dtype:
    """What a `descr` of numpy stands for. Raises `FormatError`."""
    if isinstance(descr, str):
        return _plain(descr)
    if isinstance(descr, list):
        return _structured(descr, [0])
    if isinstance(descr, tuple) and len(descr) == 2:  # noqa: PLR2004 - a type and the shape of a sub-array
        return _sub(descr[0], descr[1], [0])
    raise FormatError("has a header without a type that numpy knows")


def _plain(said: str) -> Dtype:
    found = _TYPESTR.fullmatch(_SHORT.get(said.lstrip("<>|="), said) if said else "")
    if not found:
        raise FormatError(f"declares the type {said[:40]!r}, which numpy does not have")
    order, kind, digits, unit = found.groups()
    size = int(digits or 0)
    order = "<" if order in {"", "="} else order
    if kind == "O":
        return Dtype("object", "|", None)
    if kind in "SaUV":
        letter = "S" if kind == "a" else kind
        return Dtype(f"{letter}{size}", order if kind == "U" and size else "|", size * 4 if kind == "U" else size)
    if kind == "b" and size == 1:
        return Dtype("bool", "|", 1)
    if size not in _SIZES.get(kind, ()) or (unit and kind not in "mM"):
        raise FormatError(f"declares the type {said[:40]!r}, which numpy does not have")
    return Dtype(f"{_KINDS[kind]}{size * 8}{unit or ''}", "|" if size == 1 else order, size)


def _structured(fields: list[Any], count: list[int]) -> Dtype:
    """A record of fields, each a name (or a title and a name), a type and perhaps a shape."""
    count[0] += len(fields)
    if count[0] > _MOST_FIELDS:
        raise FormatError(f"declares a type of more than {_MOST_FIELDS:,} fields")
    size: int | None = 0
    for field in fields:
        if not isinstance(field, tuple) or len(field) not in {2, 3} or not _is_name(field[0]):
            raise FormatError("declares a record with a field that is none")
        one = _sub(field[1], field[2] if len(field) > 2 else (), count)  # noqa: PLR2004 - with a shape
        size = None if size is None or one.size is None else size + one.size
    return Dtype("object" if size is None else str(fields), "|", size)


def _sub(descr: Any, shape: Any, count: list[int]) -> Dtype:
    sides = shape if isinstance(shape, tuple) else (shape,)
    if any(type(side) is not int or side < 0 for side in sides):
        raise FormatError("declares a sub-array whose shape is none")
    one = _structured(descr, count) if isinstance(descr, list) else numpy_dtype(descr)
    if not sides:
        return one
    return Dtype(f"({one.name!r}, {sides})", one.order, None if one.size is None else one.size * prod(sides))


def _is_name(name: Any) -> bool:
    return isinstance(name, str) or (isinstance(name, tuple) and all(isinstance(part, str) for part in name))
