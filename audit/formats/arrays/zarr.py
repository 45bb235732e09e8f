"""Zarr, versions 2 and 3: what the metadata of an array says; its chunks are files of their own.

Sources: the Zarr specifications, version 2 (`.zarray`) and version 3 (`zarr.json`).
"""

from __future__ import annotations

import re
from math import prod
from typing import Any, NamedTuple

import msgspec

from audit.errors import FormatError
from audit.formats.arrays.dtypes import numpy_dtype
from audit.records.array import Tensor

LONGEST = 1 << 24
"""Bytes of the longest metadata that is read."""

ARRAY, GROUP, BOTH = ".zarray", ".zgroup", "zarr.json"
"""The files of metadata: of an array and of a group of version 2, and of either of version 3."""

_DIMENSIONS = 64
_DEPTH = 32
_MOST = 1 << 63

_KNOWN = frozenset(
    {
        *("zlib", "gzip", "bz2", "lzma", "blosc", "zstd", "lz4", "shuffle", "delta", "fixedscaleoffset", "quantize"),
        *("packbits", "astype", "bitround", "crc32", "adler32", "fletcher32", "jenkins_lookup3", "crc32c"),
        *("vlen-utf8", "vlen-bytes", "vlen-array", "bytes", "transpose", "sharding_indexed", "zfpy", "pcodec"),
    }
)
"""Codecs that unpack and run nothing."""


class ZarrArray(NamedTuple):
    """An array of a store: where it is in it, the shape of its chunks, and how these are called and packed.

    `chunk` is the metadata of an array of one such chunk, which is called `0.0` or `c/0/0`; `strange` a codec that is
    not known to be harmless.
    """

    tensor: Tensor
    chunks: tuple[int, ...]
    keys: re.Pattern[str]
    version: int
    chunk: bytes
    strange: str = ""

    @property
    def grid(self) -> tuple[int, ...]:
        """How many chunks there are along each axis."""
        sides = zip(self.tensor.shape, self.chunks, strict=True)
        return tuple(-(-side // max(1, chunk)) for side, chunk in sides)

    def place(self, name: str) -> tuple[int, ...] | None:
        """Which chunk a file of that name in the array's folder is; None if it is none of the array's."""
        if not self.keys.fullmatch(name):
            return None
        if not self.tensor.shape:
            return ()
        place = tuple(int(part) for part in re.findall(r"\d+", name))
        return place if all(at < count for at, count in zip(place, self.grid, strict=True)) else None


class _Two(msgspec.Struct, frozen=True):
    zarr_format: int
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: Any
    compressor: dict[str, Any] | None = None
    fill_value: Any = None
    order: str = "C"
    filters: tuple[dict[str, Any], ...] | None = None
    dimension_separator: str = "."


class _Named(msgspec.Struct, frozen=True):
    name: str
    configuration: dict[str, Any] = {}


class _Three(msgspec.Struct, frozen=True):
    zarr_format: int
    node_type: str
    shape: tuple[int, ...] = ()
    data_type: str | _Named = ""
    chunk_grid: _Named = _Named("")
    chunk_key_encoding: _Named = _Named("default")
    fill_value: Any = None
    codecs: tuple[str | _Named, ...] = ()


def array_of_two(key: str, text: bytes) -> ZarrArray:
    """The array that a `.zarray` describes. Raises `FormatError`."""
    said = _decoded(text, _Two)
    shape, chunks = _sides(said.shape, said.chunks)
    dtype = numpy_dtype(_hashable(said.dtype))
    used = [str(one.get("id")) for one in (*(said.filters or ()), *((said.compressor,) if said.compressor else ()))]
    name = "string" if dtype.name == "object" and "vlen-utf8" in used else dtype.name
    tensor = Tensor(key=key, dtype=name, shape=shape, order=dtype.order, fortran=said.order == "F" and len(shape) > 1)
    parts = re.escape("/" if said.dimension_separator == "/" else ".").join([r"\d{1,18}"] * len(shape)) or "0"
    chunk = msgspec.json.encode(_plain(text) | {"shape": chunks, "dimension_separator": "."})
    return ZarrArray(tensor, chunks, re.compile(parts), 2, chunk, next((one for one in used if one not in _KNOWN), ""))


def array_of_three(key: str, text: bytes) -> ZarrArray | None:
    """The array that a `zarr.json` describes; None for a group. Raises `FormatError`."""
    said = _decoded(text, _Three)
    if said.node_type == "group":
        return None
    if said.node_type != "array" or said.chunk_grid.name != "regular":
        raise FormatError(f"is a {said.node_type[:40]!r} with a grid {said.chunk_grid.name[:40]!r}, which is not known")
    try:
        sides = msgspec.convert(said.chunk_grid.configuration.get("chunk_shape"), tuple[int, ...])
    except msgspec.ValidationError:
        raise FormatError("does not say the shape of its chunks") from None
    shape, chunks = _sides(said.shape, sides)
    name = _data_type(said.data_type)
    codecs = list(_codecs(said.codecs))
    small = name in {"bool", "int8", "uint8"} or not re.fullmatch(r"(u?int|b?float|complex)\d+", name)
    order = ">" if ("bytes", "big") in codecs else "<"
    tensor = Tensor(key=key, dtype=name, shape=shape, order="|" if small else order)
    mine = {"shape": chunks, "attributes": {}, "chunk_key_encoding": {"name": "default"}}
    meta = {name: value for name, value in _plain(text).items() if name != "dimension_names"}
    chunk = msgspec.json.encode(meta | mine)
    strange = next((one for one, _ in codecs if one.removeprefix("numcodecs.") not in _KNOWN), "")
    return ZarrArray(tensor, chunks, _keys(said.chunk_key_encoding, len(shape)), 3, chunk, strange)


def _decoded(text: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(text.decode(), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"is not as Zarr demands: {str(error)[:200]}") from None


def _plain(text: bytes) -> dict[str, Any]:
    said: dict[str, Any] = _decoded(text, dict[str, msgspec.Raw])
    return said


def _sides(shape: tuple[int, ...], chunks: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if len(shape) != len(chunks) or len(shape) > _DIMENSIONS or any(side < 0 for side in shape):
        raise FormatError(f"declares the shape {list(shape)[:8]} with chunks of {list(chunks)[:8]}")
    if any(side < 1 for side in chunks) or prod(shape) >= _MOST or prod(chunks) >= _MOST:
        raise FormatError(f"declares the shape {list(shape)[:8]} with chunks of {list(chunks)[:8]}")
    return shape, chunks


def _hashable(descr: Any, depth: int = 0) -> Any:
    """A `descr` as numpy writes it: JSON has no tuples."""
    if not isinstance(descr, list):
        return descr
    if depth == _DEPTH or any(not isinstance(one, list) or len(one) not in {2, 3} for one in descr):
        raise FormatError("declares a record with a field that is none")
    sides = [tuple(tuple(side) if isinstance(side, list) else side for side in one[2:]) for one in descr]
    return [(one[0], _hashable(one[1], depth + 1), *side) for one, side in zip(descr, sides, strict=True)]


def _keys(encoding: _Named, axes: int) -> re.Pattern[str]:
    """What chunks are called (version 3, chunk key encoding)."""
    two = encoding.name == "v2"
    between = re.escape(str(encoding.configuration.get("separator", "." if two else "/")))
    parts = between.join([r"\d{1,18}"] * axes)
    if two:
        return re.compile(parts or "0")
    return re.compile(f"c{between}{parts}" if axes else "c")


def _codecs(some: Any, depth: int = 0) -> Any:
    """The names of codecs, and what byte order they say, those inside shards too."""
    for one in some if isinstance(some, tuple | list) and depth < 4 else ():  # noqa: PLR2004 - shards in shards
        codec = _Named(one) if isinstance(one, str) else one
        if isinstance(codec, dict):
            settings = codec.get("configuration")
            codec = _Named(str(codec.get("name")), settings if isinstance(settings, dict) else {})
        yield codec.name, str(codec.configuration.get("endian", ""))
        for within in ("codecs", "index_codecs"):
            inner = list(_codecs(codec.configuration.get(within), depth + 1))
            yield from inner if within == "codecs" else ((name, "") for name, _ in inner)


_LONG = {"fixed_length_utf32": ("U", 4), "null_terminated_bytes": ("S", 1), "raw_bytes": ("V", 1)}


def _data_type(said: str | _Named) -> str:
    """The name of a type of version 3, as numpy spells it."""
    if isinstance(said, str):
        return {"variable_length_utf8": "string"}.get(said, said)
    settings = said.configuration
    if said.name in _LONG:
        letter, width = _LONG[said.name]
        length = settings.get("length_bytes")
        return f"{letter}{length // width}" if type(length) is int else said.name
    if said.name.startswith("numpy."):
        return f"{said.name.removeprefix('numpy.')}[{settings.get('unit')}]"
    return said.name
