"""How stored numbers become numbers that numpy computes with.

Sources: IEEE 754-2019 for binary16 to binary64; bfloat16 is the upper half of a binary32; the 8-bit floats are those
of "OCP 8-bit Floating Point Specification" (e4m3fn, e5m2), their `fnuz` variants as in "8-bit Numerical Formats for
Deep Neural Networks" (no negative zero, whose code is NaN), and e8m0fnu of "OCP Microscaling Formats" (powers of two).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_PLAIN = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"})
_PARTS = {"complex64": "float32", "complex128": "float64"}


class Eight(NamedTuple):
    """A float of 8 bits: bits of its exponent, the bias, whether its top exponent is infinity, the codes for NaN."""

    exponent: int
    bias: int
    infinite: bool
    nan: tuple[int, ...]


_EIGHTS = {
    "float8_e4m3fn": Eight(4, 7, infinite=False, nan=(0x7F, 0xFF)),
    "float8_e5m2": Eight(5, 15, infinite=True, nan=(0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF)),
    "float8_e4m3fnuz": Eight(4, 8, infinite=False, nan=(0x80,)),
    "float8_e5m2fnuz": Eight(5, 16, infinite=False, nan=(0x80,)),
}


class Form(NamedTuple):
    """Numbers as stored: bytes of one, how many of them are one element (2: complex), how they become numbers."""

    size: int
    parts: int
    numbers: Callable[[Array], Array]


def form(dtype: str, order: str) -> Form | None:
    """The form of a dtype (spelled as in `records.array.Tensor`) and byte order; None if it holds no numbers.

    `numbers` takes bytes (uint8, a whole number of elements), which it may change, and gives a native array of one
    axis: of integers, of 32-bit or 64-bit floats; of truth values as 0 and 1 in uint8.
    """
    stored = _PARTS.get(dtype, dtype)
    parts = 2 if dtype in _PARTS else 1
    if dtype in _EIGHTS or dtype == "float8_e8m0fnu":
        return Form(1, 1, lambda raw: _table(dtype)[raw])
    if dtype == "bool":
        return Form(1, 1, lambda raw: (raw != 0).view("u1"))
    if stored == "bfloat16":
        return Form(2, 1, lambda raw: (_native(raw, "u2", order).astype("u4") << 16).view("f4"))
    if stored == "float16":
        return Form(2, 1, lambda raw: _native(raw, "f2", order).astype("f4"))
    if stored in _PLAIN:
        return Form(_bits(stored) // 8, parts, lambda raw: _native(raw, stored, order))
    return None


def _bits(dtype: str) -> int:
    return int(dtype.lstrip("uintfloa"))


def _native(raw: Array, dtype: str, order: str) -> Array:
    numbers = raw.view(dtype)
    return numbers.byteswap(inplace=True) if order == ">" else numbers


@cache
def _table(dtype: str) -> Array:
    """What each of the 256 codes of an 8-bit float stands for."""
    import numpy as np

    if dtype == "float8_e8m0fnu":
        return np.array([2.0 ** (code - 127) for code in range(255)] + [np.nan], dtype="f4")
    eight = _EIGHTS[dtype]
    return np.array([_decoded(code, eight) for code in range(256)], dtype="f4")


def _decoded(code: int, eight: Eight) -> float:
    if code in eight.nan:
        return float("nan")
    width = 7 - eight.exponent
    power, fraction = code >> width & (1 << eight.exponent) - 1, (code & (1 << width) - 1) / (1 << width)
    sign = -1.0 if code & 0x80 else 1.0
    if eight.infinite and power == (1 << eight.exponent) - 1:
        return sign * float("inf")
    return sign * ((1 + fraction) * 2.0 ** (power - eight.bias) if power else fraction * 2.0 ** (1 - eight.bias))
