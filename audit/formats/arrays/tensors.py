"""The tensors of PyTorch in what a pickle would come to: their storages, types, shapes and strides.

Source: torch/_utils.py, `_rebuild_*`, and torch/serialization.py, `persistent_id`, of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from audit.formats.arrays.common import plain
from audit.formats.arrays.opcodes import Global, Made, Pairs, Stored

SIZES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "uint16": 2,
    "int16": 2,
    "uint32": 4,
    "int32": 4,
    "uint64": 8,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex32": 4,
    "complex64": 8,
    "complex128": 16,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1,
    "float4_e2m1fn_x2": 1,
    "qint8": 1,
    "quint8": 1,
    "qint32": 4,
    "quint4x2": 1,
    "quint2x4": 1,
    "bits8": 1,
    "bits16": 2,
    "bits1x8": 1,
    "bits2x4": 1,
    "bits4x2": 1,
}
"""Bytes of one, by its name."""

_STORAGES = {
    "BoolStorage": "bool",
    "ByteStorage": "uint8",
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "IntStorage": "int32",
    "LongStorage": "int64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
    "QInt8Storage": "qint8",
    "QUInt8Storage": "quint8",
    "QInt32Storage": "qint32",
    "QUInt4x2Storage": "quint4x2",
    "QUInt2x4Storage": "quint2x4",
    "UntypedStorage": "",
}

_PLAIN = {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_qtensor"}
_WRAPPED = {"_rebuild_parameter", "_rebuild_parameter_with_state"}
_MOST = 1 << 63
_LONGEST = 1000


class Storage(NamedTuple):
    """Numbers that lie beside a pickle: their key, type (empty: bytes), and how many of them."""

    key: str
    dtype: str
    numbers: int

    @property
    def size(self) -> int:
        """In bytes."""
        return self.numbers * SIZES.get(self.dtype, 1)


class View(NamedTuple):
    """A tensor: `shape` and `strides` in numbers of its type, from the number `at` of its storage on."""

    key: str
    storage: Storage
    dtype: str
    at: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def reach(self) -> int:
        """Bytes of its storage that it needs."""
        if not prod(self.shape):
            return 0
        last = sum((side - 1) * stride for side, stride in zip(self.shape, self.strides, strict=True))
        return (self.at + last + 1) * SIZES.get(self.dtype, 1)

    def is_dense(self, *, fortran: bool = False) -> bool:
        """Whether its numbers lie one behind the other, the last index the fastest; or with `fortran` the first."""
        expected = 1
        sides = list(zip(self.shape, self.strides, strict=True))
        for side, stride in sides if fortran else reversed(sides):
            if side > 1 and stride != expected:
                return False
            expected *= side
        return True


def views(value: Any) -> Iterator[View]:
    """The tensors in a value, in its order, each by the way to it. Each container is entered once."""
    entered: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, Made):
            view = _view(path, one)
            if view:
                yield view
                continue
        if isinstance(one, Made | list | tuple) and not isinstance(one, Stored | Global) and id(one) not in entered:
            entered.add(id(one))
            waiting.extend(reversed([(_joined(path, key), part) for key, part in _parts(one)]))


def storages(stored: Sequence[Stored]) -> tuple[Storage, ...]:
    """The storages among what lies beside a pickle, each once."""
    return tuple(dict.fromkeys(one for one in map(_storage, stored) if one))


def _joined(path: str, key: Any) -> str:
    name = plain(key[:_LONGEST]) if isinstance(key, str) else str(key) if _are_counts((key,)) else ""
    return f"{path}/{name}"[:_LONGEST] if path and name else path or name[:_LONGEST]


def _parts(one: Any) -> list[tuple[Any, Any]]:
    """What an object is made of, each with its key in it; what surrounds a tensor has none."""
    if isinstance(one, Pairs):
        return list(one)
    if not isinstance(one, Made):
        return list(enumerate(one))
    if isinstance(one.callee, Global) and one.callee.name in _WRAPPED and isinstance(one.args, tuple | list):
        return [("", one.args[0])] if one.args else []
    if isinstance(one.callee, Global) and one.callee.name == "_rebuild_from_type_v2" and _is_made(one.args):
        return [("", Made(one.args[0], one.args[2]))]
    return [*one.items, ("", one.state), ("", one.args)]


def _is_made(args: Any) -> bool:
    return isinstance(args, tuple | list) and len(args) > 2  # noqa: PLR2004 - a function, a type, arguments


def _view(path: str, one: Made) -> View | None:
    callee, args = one.callee, one.args
    if not isinstance(callee, Global) or callee.module != "torch._utils" or not isinstance(args, tuple | list):
        return None
    typed = callee.name == "_rebuild_tensor_v3" and len(args) > 6  # noqa: PLR2004 - v2 has six
    if (callee.name not in _PLAIN and not typed) or len(args) < 4:  # noqa: PLR2004 - of all of them
        return None
    storage = _storage(args[0])
    at, shape, strides = args[1:4]
    if storage is None or not _are_counts((at,)) or not _are_counts(shape) or not _are_counts(strides):
        return None
    dtype = args[6].name if typed and isinstance(args[6], Global) else storage.dtype
    if len(shape) != len(strides) or prod(shape) >= _MOST:
        return None
    return View(path, storage, dtype or "uint8", at, tuple(shape), tuple(strides))


def _storage(stored: Any) -> Storage | None:
    said = stored.id if isinstance(stored, Stored) else None
    if not isinstance(said, tuple) or len(said) < 5 or not isinstance(said[1], Global):  # noqa: PLR2004 - as saved
        return None
    _, kind, key, _, count = said[:5]
    if kind.name not in _STORAGES or not isinstance(key, str) or not _are_counts((count,)):
        return None
    return Storage(key, _STORAGES[kind.name], count)


def _are_counts(numbers: Any) -> bool:
    return isinstance(numbers, tuple | list) and all(type(one) is int and 0 <= one < _MOST for one in numbers)
