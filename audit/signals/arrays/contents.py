"""The content of a file of arrays, unpacked whole: what its checksums and its decoder say of it."""

from __future__ import annotations

import io
import os

from audit.formats.arrays.header import recognised
from audit.records.array_content import Contents
from audit.signals.arrays import archives, columns, hdf5, records

HEAD = 4096

_LOOKS = {
    "zip": archives.content,
    "HDF5": hdf5.content,
    "Parquet": columns.content,
    "Arrow": columns.content,
    "Arrow stream": columns.content,
    "TFRecord": records.content,
}


def content(file: io.FileIO) -> Contents:
    """All of an open file; nothing of one whose format keeps no checksum and packs nothing."""
    look = _LOOKS.get(recognised(os.pread(file.fileno(), HEAD, 0)))
    return look(file) if look else Contents()
