"""What readers of files of arrays have in common: what is wrong with a file as a fault tells it, names, sizes."""

from __future__ import annotations

from audit.errors import FormatError
from audit.records.signals import Fault


class BadError(FormatError):
    """What is wrong with the file, as a fault will tell it."""

    def __init__(self, kind: str, what: str, expected: int | None = None, found: int | None = None) -> None:
        super().__init__(what)
        self.fault = Fault(kind=kind, what=what, expected=expected, found=found)


def plain(name: str) -> str:
    """A name in characters that UTF-8 has: pickles and HDF5 may have others."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


def held_against(size: int, expected: int, made_of: str) -> tuple[Fault, ...]:
    """The fault of a file of `size` bytes that should have `expected`, which are `made_of` what."""
    if size == expected:
        return ()
    if size < expected:
        what = f"ends after {size:,} bytes: expected {made_of}, found {expected - size:,} fewer"
        return (Fault(kind="truncated", what=what, expected=expected, found=size),)
    what = f"has {size - expected:,} bytes behind its end: expected {made_of}"
    return (Fault(kind="trailing", what=what, expected=expected, found=size),)
