"""Files of arrays and tensors: what their headers say."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault


class Tensor(Record, gc=False):
    """One array of a file.

    `key` is its name in the file, empty for that of a `.npy`. `dtype` is spelled as numpy does (`float32`, `int64`,
    `bool`, ...), and `bfloat16`, `float8_e4m3fn` and the like as torch does; `object` is one that only unpickling
    could read. `order` is the byte order: `<`, `>`, or `|` where there is none. `fortran`: the first index is the
    fastest.
    `offset` is where its bytes begin in the file, None where they are not there in one piece as they are.
    """

    key: str
    dtype: str
    shape: tuple[int, ...]
    order: str = "<"
    fortran: bool = False
    offset: int | None = None


class ArrayHeader(Record, gc=False):
    """What a file holds. Without a `format` there is a fault that says why.

    `format` is what the bytes say: `NPY`, `NPZ`, `SAFETENSORS`, `HDF5`, `ZARR`, `TORCH`, `PARQUET`, `ARROW`,
    `TFRECORD`. `unsafe` says what of it only unpickling could read, or would run.
    """

    format: str = ""
    tensors: tuple[Tensor, ...] = ()
    faults: tuple[Fault, ...] = ()
    unsafe: tuple[str, ...] = ()


class ArrayFile(Record, gc=False):
    """A file of a dataset (of Zarr: a folder) and its header; `size` in bytes."""

    path: str
    location: str
    size: int
    header: ArrayHeader


class Arrays(Record):
    """The files of a dataset in the order of their paths, and what could not be looked at."""

    files: tuple[ArrayFile, ...]
    unseen: tuple[Obstacle, ...] = ()
