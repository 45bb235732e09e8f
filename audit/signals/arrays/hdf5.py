"""HDF5 by h5py: which datasets a file has, and whether all their chunks can be decoded.

Source: the HDF5 File Format Specification, version 3.0. Links into other files, external storage and virtual datasets
are named and not followed; filters that the library would load as a plugin are not loaded.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from math import prod
from typing import Any

from audit.errors import FormatError
from audit.formats.arrays.common import plain
from audit.records.array import ArrayHeader, Tensor
from audit.records.array_content import Contents
from audit.records.signals import Fault

MOST = 1_000_000
"""More objects than any file of arrays has."""

_SHOWN = 20
_SLICE = 1 << 26
_PEEK = 1 << 20
_CUT = re.compile(r"truncated file: eof = (\d+).*stored_eof = (\d+)")
_NO_FILTER = re.compile(r"filter.*(not registered|not available|unavailable)|required filter", re.IGNORECASE)

_NO_PLUGINS = "::"
"""What HDF5_PLUGIN_PRELOAD is set to so that no plugin is loaded (H5PLpublic.h, H5PL_NO_PLUGIN)."""


def header(file: io.FileIO) -> ArrayHeader:
    """The datasets of an open file, by their paths in it."""
    try:
        with _opened(file) as opened:
            tensors: list[Tensor] = []
            faults: list[Fault] = []
            unsafe: list[str] = []
            for key, one in _walked(opened):
                if isinstance(one, str):
                    faults.append(Fault(kind="external", what=f"holds in {key[:200]!r} {one}"))
                    continue
                tensors.append(_tensor(key, one))
                faults += _outside(key, one)
                unsafe += _pickled(key, one)
            some = tuple(unsafe[:_SHOWN])
            return ArrayHeader(format="HDF5", tensors=tuple(tensors), faults=_few(faults), unsafe=some)
    except OSError as error:
        return ArrayHeader(faults=(_broken(error),))


def content(file: io.FileIO) -> Contents:
    """All chunks of all datasets, decoded, their checksums verified where a filter keeps one (fletcher32)."""
    faults: list[Fault] = []
    parts = size = 0
    try:
        with _opened(file) as opened:
            for key, one in _walked(opened):
                if isinstance(one, str) or any(_outside(key, one)):
                    continue
                for fault, count in _decoded(key, one, os.fstat(file.fileno()).st_size):
                    parts, size = parts + 1, size + count
                    faults += [fault] if fault and len(faults) < _SHOWN else []
    except OSError as error:
        faults.append(_broken(error))
    return Contents(faults=tuple(faults), parts=parts, size=size)


def _opened(file: io.FileIO) -> Any:
    os.environ["HDF5_PLUGIN_PRELOAD"] = _NO_PLUGINS
    import h5py

    return h5py.File(file, "r")


def _walked(opened: Any) -> Iterator[tuple[str, Any]]:
    """Each dataset by its path, each group entered once; or in words what is not followed."""
    import h5py

    entered: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", opened)]
    count = 0
    while waiting:
        path, group = waiting.pop()
        below: list[tuple[str, Any]] = []
        for name in group:
            count += 1
            if count > MOST:
                raise OSError(f"has more than {MOST:,} objects")
            if not isinstance(name, str):
                raise FormatError(f"has a name that is not UTF-8: {name[:200]!r}")
            key = plain(f"{path}/{name}" if path else name)
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                yield key, f"a link into the file {link.filename[:200]!r}, which is not followed"
            one = group[name] if isinstance(link, h5py.HardLink) else None
            if isinstance(one, h5py.Dataset):
                yield key, one
            elif isinstance(one, h5py.Group) and (place := h5py.h5o.get_info(one.id).addr) not in entered:
                entered.add(place)
                below.append((key, one))
        waiting.extend(reversed(below))


def _tensor(key: str, dataset: Any) -> Tensor:
    name, order, plain = _dtype(dataset.dtype)
    shape: tuple[int, ...] = dataset.shape if dataset.shape is not None else (0,)
    lies = plain and 0 not in shape and dataset.chunks is None and not dataset.is_virtual
    offset = dataset.id.get_offset() if lies else None
    return Tensor(key=key, dtype=name, shape=tuple(map(int, shape)), order=order, offset=offset)


def _dtype(dtype: Any) -> tuple[str, str, bool]:
    """Its name, its byte order, and whether its bytes are what numpy would have in memory."""
    import h5py

    if h5py.check_string_dtype(dtype) is not None and dtype.kind == "O":
        return "string", "|", False
    inner = h5py.check_vlen_dtype(dtype)
    if inner is not None:
        return f"vlen({_dtype(inner)[0]})", "|", False
    if h5py.check_ref_dtype(dtype) is not None:
        return "reference", "|", False
    order = {"=": "<", "|": "|"}.get(dtype.byteorder, dtype.byteorder)
    if dtype.kind in "SUV":
        letters = dtype.itemsize // 4 if dtype.kind == "U" else dtype.itemsize
        return (f"{dtype.kind}{letters}" if dtype.names is None else str(dtype)), order, not dtype.hasobject
    return dtype.name, order, not dtype.hasobject


def _outside(key: str, dataset: Any) -> Iterator[Fault]:
    if dataset.is_virtual:
        files = sorted({source.file_name for source in dataset.virtual_sources()})
        what = f"holds in {key[:200]!r} a view of {', '.join(files)[:200]}, which is not followed"
        yield Fault(kind="external", what=what)
    elif dataset.external:
        files = sorted({name for name, _, _ in dataset.external})
        what = f"keeps the values of {key[:200]!r} in {', '.join(files)[:200]}, which is not followed"
        yield Fault(kind="external", what=what)


def _pickled(key: str, dataset: Any) -> Iterator[str]:
    """What is told of pickles: those that PyTables keeps, and opaque bytes that begin as one."""
    said = dataset.attrs["PSEUDOATOM"] if "PSEUDOATOM" in dataset.attrs.keys() else b""  # noqa: SIM118 - no mapping
    if said in {"object", b"object"}:
        yield f"holds in {key[:200]!r} pickled objects, as PyTables writes them"
    elif _is_opaque(dataset.dtype) and prod(dataset.shape or ()) and not any(_outside(key, dataset)):
        first = dataset[(0,) * len(dataset.shape)].tobytes()[:2]
        if first[0] == 0x80 and 2 <= first[1] <= 5:  # noqa: PLR2004 - a pickle's protocol
            yield f"holds in {key[:200]!r} a pickle"


def _is_opaque(dtype: Any) -> bool:
    return dtype.kind == "V" and dtype.names is None and 2 < dtype.itemsize <= _PEEK  # noqa: PLR2004


def _decoded(key: str, dataset: Any, end: int) -> Iterator[tuple[Fault | None, int]]:
    """What each stored piece of a dataset came to: a fault or not, and its bytes."""
    shape = dataset.shape
    if not shape or not prod(shape):
        if shape is not None:
            yield _read(key, dataset, ())
        return
    if dataset.chunks is None:
        at = dataset.id.get_offset()
        if at is not None and at + dataset.nbytes > end:
            what = f"holds the values of {key[:200]!r} up to byte {at + dataset.nbytes:,}, behind its end at {end:,}"
            yield Fault(kind="truncated", what=what, expected=at + dataset.nbytes, found=end), 0
        return
    stored: list[Any] = []
    dataset.id.chunk_iter(stored.append)
    for chunk in stored:
        place = tuple(
            slice(start, min(start + side, whole))
            for start, side, whole in zip(chunk.chunk_offset, dataset.chunks, shape, strict=True)
        )
        yield _read(key, dataset, place)


def _read(key: str, dataset: Any, place: tuple[slice, ...]) -> tuple[Fault | None, int]:
    try:
        return None, int(dataset[place].nbytes if place else dataset.nbytes if dataset[()] is not None else 0)
    except OSError as error:
        if error.errno:
            raise
        where = f" at {[one.start for one in place]}" if place else ""
        fault = _broken(error)
        return Fault(
            kind=fault.kind, what=f"has a part of {key[:200]!r}{where} that cannot be read: {_short(error)}"
        ), 0


def _broken(error: OSError) -> Fault:
    """What the library's word means; an error of the system is none of the file's."""
    if error.errno:
        raise error
    cut = _CUT.search(str(error))
    if cut:
        missing = int(cut[2]) - int(cut[1])
        return Fault(kind="truncated", what=f"ends too early: {missing:,} bytes are missing", found=-missing)
    if _NO_FILTER.search(str(error)):
        return Fault(kind="unsupported", what=f"is packed in a way that is not unpacked here: {_short(error)}")
    return Fault(kind="corrupt", what=f"is not as HDF5 demands: {_short(error)}")


def _short(error: OSError) -> str:
    return str(error).strip().partition("\n")[0][:200]


def _few(faults: list[Fault]) -> tuple[Fault, ...]:
    if len(faults) <= _SHOWN:
        return tuple(faults)
    rest = Fault(kind=faults[-1].kind, what=f"has {len(faults) - _SHOWN:,} more of this kind")
    return (*faults[:_SHOWN], rest)
