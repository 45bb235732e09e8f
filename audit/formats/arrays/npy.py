r"""NPY: an array of numpy, with its header.

Source: numpy.lib.format, versions 1.0 to 3.0: `\x93NUMPY`, two bytes of version, the length of the header (two
bytes, from 2.0 on four), and the header: a literal of Python with `descr`, `fortran_order` and `shape`.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.arrays.common import BadError, held_against
from audit.formats.arrays.dtypes import numpy_dtype
from audit.formats.arrays.literal import literal
from audit.formats.arrays.opcodes import walk
from audit.formats.arrays.pieces import Pieces
from audit.formats.arrays.trust import coded
from audit.records.array import ArrayHeader, Tensor
from audit.records.signals import Fault

SIGN = b"\x93NUMPY"

LONGEST = 1 << 20
"""Bytes of the longest header that is read; numpy itself reads 10,000 unless told otherwise."""

_SHORT = 256
_DIMENSIONS = 64
_MOST = 1 << 63

WALKED = 1 << 24
"""Bytes of the pickle of an array of objects that are walked."""


class Npy(NamedTuple):
    """An array, where its values begin in the file, and how many bytes they take; None where they are pickled."""

    tensor: Tensor
    start: int
    length: int | None


def npy(pieces: Pieces) -> ArrayHeader:
    """The header of a whole file."""
    found = head(pieces, "")
    if found.length is None:
        code, unsafe = objects(pieces.some(found.start, min(pieces.size, WALKED)))
        return ArrayHeader(format="NPY", tensors=(found.tensor,), faults=code, unsafe=(f"is {unsafe}",))
    made_of = f"{found.start:,} (header) + {found.length:,} = {found.start + found.length:,} bytes"
    faults = held_against(pieces.size, found.start + found.length, made_of)
    return ArrayHeader(format="NPY", tensors=(found.tensor,), faults=faults)


def objects(data: bytes) -> tuple[tuple[Fault, ...], str]:
    """What is to be said of an array whose values are the pickle that begins so."""
    walked = walk(data)
    whole = f" (it was not walked to its end: {walked.problem})" if walked.problem else ""
    return coded(walked.globals), f"an array of objects, which is a pickle: only unpickling could read it{whole}"


def head(pieces: Pieces, key: str) -> Npy:
    """The array whose header begins the bytes. Raises `BadError`."""
    try:
        start, text = _header(pieces)
        return _known(key, start, text) if len(text) <= _SHORT else _array(key, start, text)
    except BadError:
        raise
    except FormatError as error:
        raise BadError("header", error.what) from None


def _header(pieces: Pieces) -> tuple[int, str]:
    """Where the values begin, and the text of the header."""
    begins = pieces.take(0, 8)
    if begins[:6] != SIGN:
        raise FormatError(f"does not begin as NPY does (it begins with {begins.hex(' ')})")
    major, minor = begins[6:8]
    if major not in {1, 2, 3} or minor:
        raise BadError("unsupported", f"is of version {major}.{minor} of NPY, which is not read")
    width = 2 if major == 1 else 4
    length = int.from_bytes(pieces.take(8, width), "little")
    if length > LONGEST:
        raise BadError("unsupported", f"declares a header of {length:,} bytes, more than {LONGEST:,}")
    try:
        return 8 + width + length, pieces.take(8 + width, length).decode("utf-8" if major == 3 else "latin-1")  # noqa: PLR2004
    except UnicodeDecodeError:
        raise FormatError("has a header that is not UTF-8") from None


def _array(key: str, start: int, text: str) -> Npy:
    said = literal(text)
    if not isinstance(said, dict) or said.keys() != {"descr", "fortran_order", "shape"}:
        raise FormatError("has a header that does not say descr, fortran_order and shape")
    shape, fortran = said["shape"], said["fortran_order"]
    if type(shape) is not tuple or any(type(side) is not int or side < 0 for side in shape):
        raise FormatError(f"declares the shape {str(shape)[:60]}, which is none")
    if type(fortran) is not bool:
        raise FormatError("declares an order that is neither True nor False")
    dtype = numpy_dtype(said["descr"])
    if len(shape) > _DIMENSIONS or prod(shape) * (dtype.size or 1) >= _MOST:
        sides = f"{len(shape)} axes" if len(shape) > _DIMENSIONS else f"the shape {list(shape)}"
        raise FormatError(f"declares {sides}, more than numpy can hold")
    offset = None if dtype.size is None else start
    flips = fortran and len(shape) > 1
    tensor = Tensor(key=key, dtype=dtype.name, shape=shape, order=dtype.order, fortran=flips, offset=offset)
    return Npy(tensor, start, None if dtype.size is None else prod(shape) * dtype.size)


_known = lru_cache(1024)(_array)
"""The same for short headers, of which files of one kind share one."""
