"""What kind of file of arrays some bytes begin, and what its header says."""

from __future__ import annotations

import posixpath

from audit.formats.arrays import npy, pickles, pytorch, safetensors, tfrecord
from audit.formats.arrays import zip as archive
from audit.formats.arrays.common import BadError
from audit.formats.arrays.npz import npz
from audit.formats.arrays.pieces import Pieces
from audit.formats.lfs import POINTER_LIMIT, read_pointer
from audit.formats.pieces import Read
from audit.records.array import ArrayHeader
from audit.records.signals import Fault

_HDF5 = b"\x89HDF\r\n\x1a\n"

_MAGIC = (
    (npy.SIGN, "NPY"),
    (archive.SIGN, "zip"),
    (archive.EMPTY_SIGN, "zip"),
    (_HDF5, "HDF5"),
    (b"PAR1", "Parquet"),
    (b"ARROW1\0\0", "Arrow"),
    (pytorch.LEGACY, "torch"),
    (b"\x1f\x8b", "gzip"),
)
"""What formats begin with, and what they are called."""

_LIBRARIES = {
    "HDF5": "h5py",
    "Parquet": "pyarrow",
    "Arrow": "pyarrow",
    "Arrow stream": "pyarrow",
    "TFRecord": "google_crc32c",
}
"""What reads formats whose headers are not read here."""

_SCHEMA = 1 << 24
"""Bytes that the schema at the head of an Arrow stream has fewer of."""

_USER_BLOCKS = (512, 1024, 2048)
"""Where an HDF5 file may begin too, behind what somebody put before it."""

_NAMED = {
    ".npy": ("NPY", {"NPY"}),
    ".npz": ("NPZ", {"zip"}),
    ".pt": ("PyTorch", {"zip", "torch", "pickle"}),
    ".pth": ("PyTorch", {"zip", "torch", "pickle"}),
    ".safetensors": ("safetensors", {"safetensors"}),
    ".h5": ("HDF5", {"HDF5"}),
    ".hdf5": ("HDF5", {"HDF5"}),
    ".parquet": ("Parquet", {"Parquet"}),
    ".feather": ("Arrow", {"Arrow"}),
    ".arrow": ("Arrow", {"Arrow", "Arrow stream"}),
}
"""What the suffix of a name promises, and the magic that keeps it."""


def header(name: str, head: bytes, size: int, read: Read) -> ArrayHeader:
    """The header of a file of `size` bytes that begins with `head`; what is wrong with the file is a fault.

    What it holds decides; the suffix of its `name` is only held against that. `head` is at least `POINTER_LIMIT`
    bytes, or the whole file.
    """
    missing = _missing(head, size)
    if missing:
        return ArrayHeader(faults=(missing,))
    magic = recognised(head)
    faults = _misnamed(name, magic, head)
    try:
        said = _parsed(magic, Pieces(head, size, read))
    except BadError as error:
        return ArrayHeader(faults=faults or (error.fault,))
    return ArrayHeader(format=said.format, tensors=said.tensors, faults=(*faults, *said.faults), unsafe=said.unsafe)


def library(head: bytes) -> str:
    """The library that reads a file that begins so; empty if its header is read here."""
    return _LIBRARIES.get(recognised(head), "")


def misnamed(name: str, head: bytes) -> tuple[Fault, ...]:
    """The fault of a file that begins so, if the suffix of its name promises another format."""
    return _misnamed(name, recognised(head), head)


def recognised(head: bytes) -> str:
    """What a file that begins so is called; empty if it is not known."""
    for sign, magic in _MAGIC:
        if head.startswith(sign):
            return magic
    if any(head[at : at + 8] == _HDF5 for at in _USER_BLOCKS):
        return "HDF5"
    if head[:4] == b"\xff\xff\xff\xff" and 0 < int.from_bytes(head[4:8], "little") < _SCHEMA:
        return "Arrow stream"
    if tfrecord.is_one(head):
        return "TFRecord"
    if pickles.is_one(head):
        return "pickle"
    return "safetensors" if safetensors.is_one(head) else ""


def _parsed(magic: str, pieces: Pieces) -> ArrayHeader:
    if magic == "NPY":
        return npy.npy(pieces)
    if magic == "safetensors":
        return safetensors.safetensors(pieces)
    if magic == "zip":
        return _archive(pieces)
    if magic == "torch":
        return pytorch.legacy(pieces)
    if magic == "pickle" or (not magic and pickles.is_old(pieces)):
        return pickles.pickle(pieces)
    begins = pieces.some(0, 8).hex(" ")
    raise BadError("unknown", f"is no file of arrays of a format that is read (it begins with {begins})")


def _archive(pieces: Pieces) -> ArrayHeader:
    members = archive.members(pieces)
    main = pytorch.pickled(members)
    if main:
        return pytorch.archived(pieces, members, main)
    if any(member.name.rpartition("/")[2] in {"zarr.json", ".zarray", ".zgroup"} for member in members):
        raise BadError("unsupported", "is a zip archive of Zarr, which is not read: unpack it into a folder")
    if not members or any(member.name.endswith(".npy") for member in members):
        return npz(pieces, members)
    raise BadError("unknown", f"is a zip archive without arrays: it begins with {members[0].name[:200]!r}")


def _missing(head: bytes, size: int) -> Fault | None:
    if not size:
        return Fault(kind="empty", what="is empty: 0 bytes")
    if size < POINTER_LIMIT and read_pointer(head) is not None:
        return Fault(kind="pointer", what="is a Git LFS pointer, not content")
    if not head.strip(b"\0"):
        return Fault(kind="empty", what=f"begins with {len(head):,} zero bytes: was it ever written?")
    return None


def _misnamed(name: str, magic: str, head: bytes) -> tuple[Fault, ...]:
    promised, kept = _NAMED.get(posixpath.splitext(name.lower())[1], ("", {magic}))
    if magic in kept:
        return ()
    known = f"{magic} magic" if magic else f"it begins with {head[:8].hex(' ')}"
    return (Fault(kind="suffix", what=f"not {promised} ({known})", expected=promised, found=magic or None),)
