"""Packed files as streams of what is in them: gzip, bzip2, Zstandard and xz, by suffix."""

from __future__ import annotations

import posixpath
from typing import IO, Any

_ARROWS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def opened(location: str, name: str) -> IO[bytes]:
    """The bytes of a file, unpacked as the suffix of `name` says. Reading raises `OSError` where they are damaged."""
    import pyarrow as pa

    suffix = posixpath.splitext(name.lower())[1]
    if suffix == ".xz":
        import lzma

        return lzma.open(location)
    file: Any = pa.OSFile(location)
    return pa.CompressedInputStream(file, _ARROWS[suffix]) if suffix in _ARROWS else file  # type: ignore[no-any-return]
