"""safetensors: the length of a header, the header in JSON, the tensors one behind the other.

Source: the safetensors format (README.md of huggingface/safetensors, "Format"), and `safetensors/src/tensor.rs` for
its types and limits.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

import msgspec

from audit.errors import FormatError
from audit.formats.arrays.common import BadError, held_against
from audit.formats.arrays.pieces import Pieces
from audit.records.array import ArrayHeader, Tensor
from audit.records.signals import Fault

LONGEST = 100_000_000
"""Bytes of the longest header, as the format says."""

_BITS = {
    "BOOL": ("bool", 8),
    "U8": ("uint8", 8),
    "I8": ("int8", 8),
    "U16": ("uint16", 16),
    "I16": ("int16", 16),
    "U32": ("uint32", 32),
    "I32": ("int32", 32),
    "U64": ("uint64", 64),
    "I64": ("int64", 64),
    "F16": ("float16", 16),
    "BF16": ("bfloat16", 16),
    "F32": ("float32", 32),
    "F64": ("float64", 64),
    "C64": ("complex64", 64),
    "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E5M2": ("float8_e5m2", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "F6_E2M3": ("float6_e2m3fn", 6),
    "F6_E3M2": ("float6_e3m2fn", 6),
    "F4": ("float4_e2m1fn", 4),
}
"""Name and bits by their word in the header."""

_MOST = 1 << 63


class _Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def is_one(head: bytes) -> bool:
    """Whether a file that begins so is meant to be one: it has no magic number, but its header begins with `{`."""
    return len(head) > 8 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= LONGEST  # noqa: PLR2004


def safetensors(pieces: Pieces) -> ArrayHeader:
    """The header of a whole file. Raises `BadError`."""
    length = int.from_bytes(pieces.take(0, 8), "little")
    if length > LONGEST:
        raise BadError("header", f"declares a header of {length:,} bytes, more than the {LONGEST:,} of the format")
    try:
        tensors, end, faults = _tensors(pieces.take(8, length), 8 + length)
    except BadError:
        raise
    except FormatError as error:
        raise BadError("header", error.what) from None
    made_of = f"8 + {length:,} (header) + {end:,} = {8 + length + end:,} bytes"
    return ArrayHeader(
        format="SAFETENSORS", tensors=tensors, faults=(*faults, *held_against(pieces.size, 8 + length + end, made_of))
    )


def _tensors(header: bytes, start: int) -> tuple[tuple[Tensor, ...], int, tuple[Fault, ...]]:
    """The tensors in the order of their names, where the last ends behind the header, and what contradicts."""
    said = _entries(header)
    tensors = tuple(_tensor(key, said[key], start) for key in sorted(said))
    faults: list[Fault] = []
    end = 0
    for key, entry in sorted(said.items(), key=lambda one: one[1].data_offsets):
        begin, stop = entry.data_offsets
        if begin != end and not faults:
            what = f"has tensors that do not follow each other: {key[:200]!r} begins at {begin:,}, not at {end:,}"
            faults.append(Fault(kind="header", what=what, expected=end, found=begin))
        end = max(end, stop)
    return tensors, end, tuple(faults)


def _entries(header: bytes) -> dict[str, _Entry]:
    if header[:1] != b"{":
        raise FormatError(f"has a header that is no JSON object (it begins with {header[:8].hex(' ')})")
    try:
        raw = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        if "__metadata__" in raw:
            msgspec.json.decode(raw.pop("__metadata__"), type=dict[str, str] | None)
        said = {key: msgspec.json.decode(one, type=_Entry) for key, one in raw.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"has a header that is not as the format demands: {str(error)[:200]}") from None
    twice = len(re.findall(rb'"data_offsets"\s*:', header)) - len(said) - ("data_offsets" in said)
    if twice > 0:
        raise FormatError("has a header that says a tensor twice")
    return said


def _tensor(key: str, entry: _Entry, start: int) -> Tensor:
    begin, stop = entry.data_offsets
    if entry.dtype not in _BITS:
        raise BadError("unsupported", f"holds {key[:200]!r} of type {entry.dtype[:40]!r}, which is not known")
    name, bits = _BITS[entry.dtype]
    shape: Any = entry.shape
    if any(side < 0 for side in shape) or prod(shape) * bits >= _MOST or not 0 <= begin <= stop < _MOST:
        raise FormatError(f"declares {key[:200]!r} with a shape or a place that cannot be")
    if prod(shape) * bits != (stop - begin) * 8:
        what = f"declares {key[:200]!r} as {entry.dtype} {list(shape)}, but gives it {stop - begin:,} bytes"
        raise FormatError(what)
    return Tensor(key=key, dtype=name, shape=shape, order="|" if bits <= 8 else "<", offset=start + begin)  # noqa: PLR2004
