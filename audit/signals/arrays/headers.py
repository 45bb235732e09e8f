"""The header of a file of arrays, whichever library it takes."""

from __future__ import annotations

import io
import os

from audit.formats.arrays.header import header, library
from audit.records.array import ArrayHeader
from audit.signals.arrays import columns, hdf5, records

HEAD = 4096


def headed(file: io.FileIO, name: str = "") -> ArrayHeader:
    """The header of an open file; the suffix of its `name` is held against what it holds.

    Raises `OSError` where the file cannot be read.
    """
    descriptor = file.fileno()
    head = os.pread(descriptor, HEAD, 0)
    needed = library(head)
    if needed == "h5py":
        return hdf5.header(file)
    if needed == "pyarrow":
        return columns.header(file)
    if needed == "google_crc32c":
        return records.header(file)
    return header(name, head, os.fstat(descriptor).st_size, lambda at, size: os.pread(descriptor, size, at))
