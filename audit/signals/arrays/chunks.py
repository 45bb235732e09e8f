"""Chunks of Zarr, each decoded by itself through zarr."""

from __future__ import annotations

import io
from typing import Any

from audit.records.array_content import Contents
from audit.records.signals import Fault

_TWO = 2
_HEAD = 16


def chunk(file: io.FileIO, meta: str, version: int) -> Contents:
    """The chunk in an open file, decoded: `meta` is the metadata of an array of this one chunk.

    Its checksums are verified where a codec keeps one (crc32c, gzip, zstd, blosc, shards).
    """
    import json

    import zarr
    from zarr.core.buffer import default_buffer_prototype

    data, said = file.read(), json.loads(meta)
    cut = _cut(data, said)
    if cut:
        return Contents(faults=(cut,))
    make: Any = default_buffer_prototype().buffer.from_bytes
    zeros = ["0"] * len(said["shape"])
    named = {"zarr.json": meta.encode(), "/".join(["c", *zeros]): data}
    if version == _TWO:
        named = {".zarray": meta.encode(), ".".join(zeros) or "0": data}
    store = zarr.storage.MemoryStore({name: make(one) for name, one in named.items()}, read_only=True)
    try:
        array = zarr.open_array(store=store, mode="r", zarr_format=2 if version == _TWO else 3)
        values = array[...]
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - codecs raise anything on hostile bytes
        word = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200]}"
        return Contents(faults=(Fault(kind="corrupt", what=f"cannot be decoded ({word})"),))
    return Contents(parts=1, size=int(getattr(values, "nbytes", 0)))


def _cut(data: bytes, meta: dict[str, Any]) -> Fault | None:
    """The fault of a chunk of blosc that has not the bytes it says: its decoder reads on behind what it is given.

    Source: the Blosc chunk format, README_CHUNK_FORMAT.rst of c-blosc: `cbytes` at byte 12.
    """
    last = meta.get("compressor") or (meta.get("codecs") or [{}])[-1]
    name = last if isinstance(last, str) else str(last.get("id") or last.get("name"))
    expected = int.from_bytes(data[12:16], "little")
    if name.rpartition(".")[2] != "blosc" or (len(data) >= _HEAD and len(data) == expected):
        return None
    what = f"has {len(data):,} bytes, and says {expected:,}"
    return Fault(kind="corrupt", what=what, expected=expected, found=len(data))
