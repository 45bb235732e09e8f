"""The values of one chunk of Zarr, decoded through zarr."""

from __future__ import annotations

import io
import json
from typing import Any

from audit.records.array import Tensor
from audit.records.array_values import ArrayValues
from audit.signals.arrays.scan import Values, scan
from audit.signals.arrays.scan_plan import Ask

_TWO = 2


def chunk_values(file: io.FileIO, meta: str, version: int, sides: tuple[int, ...], ask: Ask) -> ArrayValues:
    """Look at the first `sides` values along each axis of a chunk: at an array's edge the others are no part of it.

    `meta` is the metadata of an array of this one chunk. Raises what zarr and its codecs do.
    """
    import numpy as np

    values: Any = np.ascontiguousarray(_decoded(file, meta, version)[tuple(slice(side) for side in sides)])
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    data = memoryview(values.reshape(-1).view("u1"))

    def fill(buffer: Any, offset: int) -> None:
        view = memoryview(buffer)
        view[:] = data[offset : offset + len(view)]

    tensor = Tensor(key="", dtype=values.dtype.name, shape=values.shape)
    return scan(tensor, Values(fill, anywhere=True), ask, threads=1)


def _decoded(file: io.FileIO, meta: str, version: int) -> Any:
    import zarr
    from zarr.core.buffer import default_buffer_prototype

    make: Any = default_buffer_prototype().buffer.from_bytes
    zeros = ["0"] * len(json.loads(meta)["shape"])
    data = file.read()
    named = {"zarr.json": meta.encode(), "/".join(["c", *zeros]): data}
    if version == _TWO:
        named = {".zarray": meta.encode(), ".".join(zeros) or "0": data}
    store = zarr.storage.MemoryStore({name: make(one) for name, one in named.items()}, read_only=True)
    return zarr.open_array(store=store, mode="r", zarr_format=2 if version == _TWO else 3)[...]
