"""Whether a build for CUDA runs on a device, under a driver, with a library: NVIDIA's rules of compatibility.

Sources: "CUDA C++ Programming Guide", 5.1 to 5.3 of its chapter on compute capabilities (binary and PTX compatibility,
architecture- and family-specific features); "CUDA Compatibility" and table 2 and 3 of "CUDA Toolkit Release Notes" for
drivers, as published for CUDA 13.1 (December 2025); "cuDNN API Reference", versioning, for libraries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

Version = tuple[int, ...]
Capability = tuple[int, int]

_ARCH = re.compile(r"(sm|compute)_(\d{1,2})(\d)([af]?)")

DRIVERS: tuple[tuple[Version, Version, Version], ...] = (
    ((13,), (580,), (580,)),
    ((12,), (525, 60, 13), (527, 41)),
    ((11,), (450, 80, 2), (452, 39)),
    ((10, 2), (440, 33), (441, 22)),
    ((10, 1), (418, 39), (418, 96)),
    ((10, 0), (410, 48), (411, 31)),
    ((9, 2), (396, 26), (397, 44)),
    ((9, 1), (390, 46), (391, 29)),
    ((9, 0), (384, 81), (385, 54)),
    ((8, 0), (367, 48), (369, 30)),
)
"""CUDA, and the oldest driver for it on Linux and on Windows; from 11 on one for all minor versions."""


class Arch(NamedTuple):
    """What a build holds: machine code (`sm`) or PTX (`compute`) for a capability; `suffix` `a` or `f` binds it."""

    code: str
    capability: Capability
    suffix: str = ""


class Coverage(StrEnum):
    """How a device runs a build."""

    BINARY = "binary"
    PTX = "ptx"
    NONE = "none"


def arch(said: str) -> Arch | None:
    """`sm_90a`, `compute_120`: its parts. None for something else."""
    found = _ARCH.fullmatch(said)
    return Arch(found[1], (int(found[2]), int(found[3])), found[4]) if found else None


def coverage(device: Capability, built: Sequence[Arch]) -> Coverage:
    """Whether one of the architectures of a build runs on the device: as machine code, or compiled when first used.

    Machine code runs on its own major version from its minor version on; with the suffix `a` on its very capability,
    with `f` within its family, which is its major version here. PTX without a suffix runs on any newer device.
    """
    if any(_runs(device, one) for one in built if one.code == "sm"):
        return Coverage.BINARY
    later = any(one.code == "compute" and _compiles(device, one) for one in built)
    return Coverage.PTX if later else Coverage.NONE


def _runs(device: Capability, one: Arch) -> bool:
    if one.suffix == "a":
        return device == one.capability
    return device[0] == one.capability[0] and device[1] >= one.capability[1]


def _compiles(device: Capability, one: Arch) -> bool:
    return _runs(device, one) if one.suffix else device >= one.capability


def oldest_driver(cuda: Version, *, windows: bool = False) -> Version | None:
    """The oldest driver under which a build for this CUDA runs; None for one that the table does not have."""
    for known, linux, other in DRIVERS:
        if cuda[: len(known)] == known:
            return other if windows else linux
    return None


def version(said: str) -> Version:
    """`460.73.01` as (460, 73, 1); empty for what is no version."""
    parts = re.match(r"\d+(\.\d+)*", said)
    return tuple(int(part) for part in parts[0].split(".")) if parts else ()


def cudnn_fits(compiled: Version, loaded: Version) -> bool:
    """Whether a library that is loaded may stand for the one that was compiled against: same major, not older."""
    return compiled[:1] == loaded[:1] and loaded >= compiled
