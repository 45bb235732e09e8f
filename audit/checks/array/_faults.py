"""What is wrong with a file of arrays, as a check tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.records.array import ArrayFile
from audit.records.findings import Violation
from audit.records.signals import Fault
from audit.records.words import Severity

_SUFFIXES = frozenset(
    {"npy", "npz", "safetensors", "h5", "hdf5", "zarr", "parquet", "arrow", "feather", "pt", "pth", "bin", "tfrecord"}
)
"""Those of formats that are read: what is called so and is none of them is a fault, not a thing unseen."""

_NOT_LOOKED_AT = frozenset({"unsupported", "external"})
_WARNS = frozenset({"absent"})


def faults(path: str, some: Sequence[Fault]) -> Iterator[Violation]:
    """A violation for each fault; what could not be looked at is no fault."""
    for fault in some:
        strange = fault.kind == "unknown" and path.rpartition(".")[2].lower() not in _SUFFIXES
        yield Violation(
            subject=path,
            kind=fault.kind,
            message=fault.what,
            severity=Severity.WARNING if fault.kind in _WARNS else Severity.ERROR,
            expected=fault.expected,
            found=fault.found,
            unseen=strange or fault.kind in _NOT_LOOKED_AT,
        )


def blind(files: Sequence[ArrayFile]) -> Iterator[Violation]:
    """What keeps another dataset from being known: nothing passes by it then."""
    for file in files:
        if not file.header.format or file.header.faults:
            what = "; ".join(fault.what for fault in file.header.faults)
            message = f"{what}, so nothing can be held against it"
            yield Violation(subject=file.path, kind="reference", message=message, unseen=True)


def subject(path: str, key: str) -> str:
    """How the report names an array."""
    return f"{path}#{key}" if key else path
